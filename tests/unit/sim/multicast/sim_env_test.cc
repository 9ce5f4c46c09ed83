#include "sim/multicast/sim_env.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lambdacast::sim {
namespace {

class Host final : public NodeHost {
 public:
  void transmit(std::span<const uint8_t> frame) override {
    frames.emplace_back(frame.begin(), frame.end());
  }
  void judged(const Waiting&, counters::DropReason outcome) override {
    outcomes.push_back(outcome);
  }
  void deliver(const node::PacketInfo&, std::span<const uint8_t>) override {}
  void gap(const node::GapEvent&) override {}
  void receiver_event(const reliability::ReceiverEvent&) override {}
  void view_event(const node::ViewEvent&) override {}
  void misuse(const std::string& what) override { misuses.push_back(what); }

  std::vector<std::vector<uint8_t>> frames;
  std::vector<counters::DropReason> outcomes;
  std::vector<std::string> misuses;
};

class SimEnvTest : public ::testing::Test {
 protected:
  SimPacket* packet_of(SimPackets& packets, uint8_t byte) {
    SimPacket* packet = packets.allocate();
    packet->bytes[0] = byte;
    packet->length = 1;
    return packet;
  }
  Host host_;
  uint64_t now_ns_ = 0;
};

TEST_F(SimEnvTest, free_a_packet_twice__expect_it_told) {
  SimPackets packets(host_, {}, true, 1, now_ns_);
  SimPacket* packet = packets.allocate();
  EXPECT_EQ(packets.live(), 1u);
  packets.free(packet);
  EXPECT_EQ(packets.live(), 0u);
  EXPECT_TRUE(host_.misuses.empty());
  packets.free(packet);
  EXPECT_EQ(host_.misuses.size(), 1u);
}

TEST_F(SimEnvTest, allocate_beyond_the_bound__expect_none_and_descriptors_to_remain) {
  SimPackets packets(host_, {.packets = 2}, true, 1, now_ns_);
  SimPacket* const first = packets.allocate();
  EXPECT_NE(packets.allocate(), nullptr);
  EXPECT_EQ(packets.allocate(), nullptr);
  EXPECT_EQ(packets.refused(), 1u);
  Waiting waiting;
  waiting.bytes = std::make_shared<const std::vector<uint8_t>>(10);
  EXPECT_NE(packets.receive(std::move(waiting)), nullptr);
  packets.free(first);
  EXPECT_EQ(packets.allocate(), nullptr);  // the frame received took its place
}

TEST_F(SimEnvTest, allocate_while_the_pool_refuses__expect_none_for_a_while_only) {
  SimPackets packets(host_, {.refusal = 1, .refusal_ns = 1, .until_ns = 100}, true, 1, now_ns_);
  EXPECT_EQ(packets.allocate(), nullptr);
  now_ns_ = 100;
  EXPECT_NE(packets.allocate(), nullptr);
}

TEST_F(SimEnvTest, transmit_a_kept_packet__expect_it_the_senders_still) {
  SimPackets packets(host_, {}, true, 1, now_ns_);
  SimTransmitter port(packets, {}, 2, now_ns_);
  SimPacket* packet = packet_of(packets, 7);
  packets.keep(packet);
  EXPECT_EQ(port.transmit(&packet, 1), 1u);
  EXPECT_EQ(host_.frames, (std::vector<std::vector<uint8_t>>{{7}}));
  EXPECT_EQ(packets.live(), 1u);
}

TEST_F(SimEnvTest, transmit_to_a_port_that_frees_late__expect_it_shared_until_then) {
  SimPackets packets(host_, {}, false, 1, now_ns_);
  const PortWild wild{.late_free_ns = 50, .until_ns = 1000};
  SimTransmitter port(packets, wild, 2, now_ns_);
  SimPacket* packet = packet_of(packets, 7);
  packets.share(packet);
  EXPECT_EQ(port.transmit(&packet, 1), 1u);
  EXPECT_TRUE(packets.shared(packet));
  now_ns_ = 50;
  port.reclaim();
  EXPECT_FALSE(packets.shared(packet));
  EXPECT_TRUE(host_.misuses.empty());
}

TEST_F(SimEnvTest, change_a_packet_that_the_port_has__expect_it_told) {
  SimPackets packets(host_, {}, false, 1, now_ns_);
  const PortWild wild{.late_free_ns = 50, .until_ns = 1000};
  SimTransmitter port(packets, wild, 2, now_ns_);
  SimPacket* packet = packet_of(packets, 7);
  packets.share(packet);
  EXPECT_EQ(port.transmit(&packet, 1), 1u);
  packet->bytes[0] = 8;
  now_ns_ = 50;
  port.reclaim();
  EXPECT_EQ(host_.misuses.size(), 1u);
}

TEST_F(SimEnvTest, offer_a_burst_to_a_port_that_takes_parts__expect_some_and_in_the_end_all) {
  SimPackets packets(host_, {}, false, 1, now_ns_);
  const PortWild wild{.partial_burst = 1, .until_ns = 1000};
  SimTransmitter port(packets, wild, 2, now_ns_);
  std::vector<SimPacket*> burst;
  for (uint8_t i = 0; i < 8; ++i) burst.push_back(packet_of(packets, i));
  uint32_t sent = port.transmit(burst.data(), 8);
  EXPECT_GT(sent, 0u);
  EXPECT_LT(sent, 8u);
  while (sent < 8) sent += port.transmit(burst.data() + sent, 8 - sent);
  EXPECT_EQ(host_.frames.size(), 8u);
  EXPECT_GT(port.counts().partial_bursts, 0u);
}

TEST_F(SimEnvTest, offer_to_a_port_that_refuses__expect_none_until_it_says) {
  SimPackets packets(host_, {}, false, 1, now_ns_);
  const PortWild wild{.refusal = 1, .refusal_ns = 10, .until_ns = 5};
  SimTransmitter port(packets, wild, 2, now_ns_);
  SimPacket* packet = packet_of(packets, 1);
  EXPECT_EQ(port.transmit(&packet, 1), 0u);
  EXPECT_GT(port.next_event_ns(), now_ns_);
  now_ns_ = port.next_event_ns() + 10;
  EXPECT_EQ(port.transmit(&packet, 1), 1u);
}

class CountingWaker final : public Waker {
 public:
  void wake() override { ++wakes; }
  int wakes = 0;
};

TEST_F(SimEnvTest, push_and_pull__expect_the_consumer_woken_and_of_a_full_link_the_producer) {
  SimPackets packets(host_, {}, true, 1, now_ns_);
  CountingWaker producer, consumer;
  SimQueue queue(2, &producer, &consumer);
  SimPacket* pushed[] = {packets.allocate(), packets.allocate()};
  queue.push(pushed, 1);
  EXPECT_EQ(consumer.wakes, 1);
  SimPacket* pulled = nullptr;
  EXPECT_EQ(queue.pull(&pulled, 1), 1u);
  EXPECT_EQ(producer.wakes, 0);
  queue.push(pushed, 2);
  EXPECT_EQ(queue.room(), 0u);
  EXPECT_EQ(queue.pull(&pulled, 1), 1u);
  EXPECT_EQ(producer.wakes, 1);
  EXPECT_EQ(queue.filled(), 1u);
  EXPECT_EQ(queue.pull(&pulled, 1), 1u);
}

TEST_F(SimEnvTest, push_more_than_there_is_room_for__expect_it_told) {
  SimPackets packets(host_, {}, true, 1, now_ns_);
  SimQueue queue(1, nullptr, nullptr);
  SimPacket* pushed[] = {packets.allocate(), packets.allocate()};
  queue.push(pushed, 2);
  EXPECT_EQ(host_.misuses.size(), 1u);
  EXPECT_EQ(packets.live(), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
