#include "sim/multicast/sim_env.h"

#include <gtest/gtest.h>

#include <numeric>

namespace lambdacast::sim {
namespace {

class Host final : public NodeHost {
 public:
  void transmit(std::span<const uint8_t> frame) override { sent.push_back(frame[0]); }
  void judged(const Waiting&, counters::DropReason outcome) override {
    outcomes.push_back(outcome);
  }
  void deliver(const node::PacketInfo&, std::span<const uint8_t>) override {}
  void gap(const node::GapEvent&) override {}
  void receiver_event(const reliability::ReceiverEvent&) override {}
  void view_event(const node::ViewEvent&) override {}
  void misuse(const std::string& what) override { misuses.push_back(what); }
  bool gives_back(const SimPacket&) override { return !swallows; }

  std::vector<uint8_t> sent;  // the first byte of each
  std::vector<counters::DropReason> outcomes;
  std::vector<std::string> misuses;
  bool swallows = false;
};

Waiting frame(uint8_t number, size_t bytes = 100) {
  Waiting waiting;
  waiting.bytes = std::make_shared<const std::vector<uint8_t>>(bytes, number);
  return waiting;
}

class Counting final : public Waker {
 public:
  void wake() override { ++times; }
  int times = 0;
};

// A pool with a bound, and a port that is wild until kCalmNs.
class SimEnvTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kCalmNs = 1'000'000;
  static constexpr size_t kMost = 40;

  SimPacket* packet(uint8_t number) {
    SimPacket* packet = packets_.allocate();
    packet->length = 100;
    std::fill_n(packet->bytes, 100, number);
    return packet;
  }
  std::vector<SimPacket*> several(uint8_t count) {
    std::vector<SimPacket*> made;
    for (uint8_t i = 0; i < count; ++i) made.push_back(packet(i));
    return made;
  }
  SimTransmitter transmitter(PortWild wild) {
    wild.until_ns = kCalmNs;
    return SimTransmitter(packets_, wild, 7, now_ns_);
  }
  static std::vector<uint8_t> counting(size_t count) {
    std::vector<uint8_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), uint8_t{0});
    return numbers;
  }

  uint64_t now_ns_ = 0;
  Host host_;
  SimPackets packets_{host_, {.packets = kMost}, true, 5, now_ns_};
};

// --- the pool ------------------------------------------------------------------------------------

TEST_F(SimEnvTest, allocate_and_free__expect_counts_and_reuse) {
  SimPacket* first = packets_.allocate();
  SimPacket* second = packets_.allocate();
  EXPECT_NE(first, second);
  EXPECT_EQ(packets_.live(), 2u);
  packets_.free(first);
  EXPECT_EQ(packets_.live(), 1u);
  EXPECT_EQ(packets_.allocate(), first);
  EXPECT_TRUE(host_.misuses.empty());
}

TEST_F(SimEnvTest, give_a_packet_back_twice__expect_it_told_and_the_pool_unharmed) {
  SimPacket* once = packets_.allocate();
  packets_.free(once);
  packets_.free(once);
  ASSERT_EQ(host_.misuses.size(), 1u);
  EXPECT_NE(host_.misuses[0].find("twice"), std::string::npos);
  EXPECT_EQ(packets_.live(), 0u);
  EXPECT_NE(packets_.allocate(), packets_.allocate());
}

TEST_F(SimEnvTest, allocate_more_than_there_are__expect_null_and_none_of_a_bulk) {
  std::vector<SimPacket*> all(kMost);
  ASSERT_TRUE(packets_.allocate(all.data(), kMost));
  EXPECT_EQ(packets_.allocate(), nullptr);
  EXPECT_EQ(packets_.refused(), 1u);
  packets_.free(all.data(), 2);
  SimPacket* three[3];
  EXPECT_FALSE(packets_.allocate(three, 3));
  EXPECT_EQ(packets_.live(), kMost - 2);
  EXPECT_TRUE(packets_.allocate(three, 2));
}

TEST_F(SimEnvTest, allocate_from_a_pool_that_refuses__expect_none_for_a_while_and_it_counted) {
  const PoolWild wild{.refusal = 1, .refusal_ns = 1'000, .until_ns = kCalmNs};
  SimPackets refusing(host_, wild, true, 5, now_ns_);
  EXPECT_EQ(refusing.allocate(), nullptr);
  SimPacket* two[2];
  EXPECT_FALSE(refusing.allocate(two, 2));
  EXPECT_GE(refusing.refused(), 2u);
  SimPacket* received = refusing.receive(frame(1));
  ASSERT_NE(received, nullptr) << "descriptors are the port's own";
  refusing.free(received);
  now_ns_ = kCalmNs;
  ASSERT_TRUE(refusing.allocate(two, 2));
  refusing.free(two, 2);
}

TEST_F(SimEnvTest, hold_references__expect_the_packet_back_with_the_last) {
  SimPacket* packet = packets_.allocate();
  EXPECT_FALSE(packets_.shared(packet));
  packets_.add_reference(packet);
  EXPECT_TRUE(packets_.shared(packet));
  packets_.free(packet);
  EXPECT_EQ(packets_.live(), 1u);
  EXPECT_FALSE(packets_.shared(packet));
  packets_.free(packet);
  EXPECT_EQ(packets_.live(), 0u);
}

TEST_F(SimEnvTest, share_what_somebody_else_has__expect_it_told) {
  SimPacket* packet = packets_.allocate();
  packets_.keep(packet);
  packets_.share(packet);
  EXPECT_FALSE(packets_.kept(packet));
  EXPECT_TRUE(host_.misuses.empty());
  packets_.share(packet);
  EXPECT_EQ(host_.misuses.size(), 1u);
}

TEST_F(SimEnvTest, free_what_the_host_swallows__expect_it_never_back) {
  SimPacket* packet = packets_.allocate();
  host_.swallows = true;
  packets_.free(packet);
  EXPECT_EQ(packets_.live(), 1u);
}

TEST_F(SimEnvTest, receive__expect_the_packets_counted_as_held_until_freed) {
  SimPacket* own = packets_.allocate();
  SimPacket* received = packets_.receive(frame(9));
  ASSERT_NE(received, nullptr);
  EXPECT_EQ(received->length, 100u);
  EXPECT_EQ(received->bytes[99], 9);
  EXPECT_EQ(packets_.held(), 1u);
  packets_.judged(*own, counters::DropReason::kNone);
  EXPECT_TRUE(host_.outcomes.empty()) << "it came from nowhere";
  packets_.judged(*received, counters::DropReason::kBadIcrc);
  EXPECT_EQ(host_.outcomes, std::vector{counters::DropReason::kBadIcrc});
  packets_.free(own);
  EXPECT_EQ(packets_.held(), 1u);
  packets_.free(received);
  EXPECT_EQ(packets_.held(), 0u);
}

// --- links ---------------------------------------------------------------------------------------

TEST_F(SimEnvTest, push_and_pull__expect_the_order_and_who_is_to_look_woken) {
  Counting producer;
  Counting consumer;
  SimQueue queue(4, &producer, &consumer);
  const auto made = several(4);
  queue.push(made.data(), 0);
  EXPECT_EQ(consumer.times, 0) << "nothing came";
  queue.push(made.data(), 3);
  EXPECT_EQ(consumer.times, 1);
  EXPECT_EQ(queue.room(), 1u);
  SimPacket* got[4];
  EXPECT_EQ(queue.pull(got, 1), 1u);
  EXPECT_EQ(got[0], made[0]);
  EXPECT_EQ(producer.times, 0) << "it had room";
  packets_.free(got[0]);
  queue.push(&made[3], 1);
  EXPECT_EQ(queue.pull(got, 4), 3u);
  EXPECT_EQ(got[2], made[3]);
  EXPECT_EQ(queue.pull(got + 3, 1), 0u);
  packets_.free(got, 3);
}

TEST_F(SimEnvTest, take_from_a_full_link__expect_the_producer_woken_and_it_counted) {
  Counting producer;
  SimQueue queue(2, &producer, nullptr);
  const auto made = several(2);
  queue.push(made.data(), 2);
  EXPECT_EQ(queue.room(), 0u);
  EXPECT_EQ(queue.filled(), 0u);
  SimPacket* got = nullptr;
  EXPECT_EQ(queue.pull(&got, 1), 1u);
  EXPECT_EQ(producer.times, 1);
  EXPECT_EQ(queue.filled(), 1u);
  packets_.free(got);
}

TEST_F(SimEnvTest, push_more_than_there_is_room_for__expect_it_told_and_the_packets_back) {
  SimQueue queue(2, nullptr, nullptr);
  const auto made = several(3);
  queue.push(made.data(), 1);
  queue.push(made.data() + 1, 2);
  EXPECT_EQ(host_.misuses.size(), 1u);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(packets_.live(), 1u);
}

TEST_F(SimEnvTest, destroy_a_link_with_packets__expect_them_back_in_the_pool) {
  {
    SimQueue queue(4, nullptr, nullptr);
    const auto made = several(3);
    queue.push(made.data(), 3);
    SimQueue moved(std::move(queue));
    EXPECT_EQ(moved.size(), 3u);
  }
  EXPECT_EQ(packets_.live(), 0u);
  EXPECT_TRUE(host_.misuses.empty());
}

TEST_F(SimEnvTest, hand_back_reassembly_memory__expect_the_order_and_the_consumer_woken) {
  Counting consumer;
  SimHandleQueue queue(&consumer);
  queue.push(3);
  queue.push(4);
  EXPECT_EQ(consumer.times, 2);
  uint16_t handle = 0;
  EXPECT_TRUE(queue.pull(handle));
  EXPECT_EQ(handle, 3);
  EXPECT_TRUE(queue.pull(handle));
  EXPECT_FALSE(queue.pull(handle));
}

// --- the receiving side of the port --------------------------------------------------------------

TEST_F(SimEnvTest, receive_in_bursts__expect_what_waits_in_its_order) {
  SimReceiver receiver(packets_, {}, 1);
  for (uint8_t i = 0; i < 5; ++i) receiver.arrive(frame(i));
  SimPacket* got[8];
  EXPECT_EQ(receiver.receive(got, 3), 3u);
  EXPECT_EQ(receiver.waiting(), 2u);
  EXPECT_EQ(receiver.receive(got + 3, 5), 2u);
  for (uint8_t i = 0; i < 5; ++i) EXPECT_EQ(got[i]->bytes[0], i);
  EXPECT_EQ(receiver.taken(), 5u);
  packets_.free(got, 5);
}

TEST_F(SimEnvTest, receive_short_bursts__expect_some_fewer_than_wait_and_all_in_the_end) {
  SimReceiver receiver(packets_, {.short_burst = 0.5}, 1);
  for (uint8_t i = 0; i < 30; ++i) receiver.arrive(frame(i));
  std::vector<uint8_t> numbers;
  int bursts = 0;
  while (receiver.waiting() != 0) {
    SimPacket* got[8];
    const uint32_t count = receiver.receive(got, 8);
    ASSERT_GT(count, 0u);
    for (uint32_t i = 0; i < count; ++i) numbers.push_back(got[i]->bytes[0]);
    packets_.free(got, count);
    ++bursts;
  }
  EXPECT_GT(bursts, 4);
  EXPECT_EQ(numbers, counting(30));
}

TEST_F(SimEnvTest,
       receive_with_an_empty_pool__expect_the_descriptors_used_up_and_the_rest_to_wait) {
  SimReceiver receiver(packets_, {}, 1);
  std::vector<SimPacket*> all(kMost);
  ASSERT_TRUE(packets_.allocate(all.data(), kMost));
  for (uint8_t i = 0; i < 200; ++i) receiver.arrive(frame(i));
  std::vector<SimPacket*> got(200);
  const uint32_t first = receiver.receive(got.data(), 200);
  EXPECT_LT(first, 200u);
  EXPECT_EQ(receiver.receive(got.data() + first, 200), 0u);
  EXPECT_EQ(receiver.waiting(), 200u - first);
  packets_.free(all.data(), 3);
  EXPECT_EQ(receiver.receive(got.data() + first, 200), 3u);
}

// --- the transmitting side -----------------------------------------------------------------------

TEST_F(SimEnvTest, transmit_calmly__expect_all_sent_and_given_back_but_what_is_kept) {
  SimTransmitter port = transmitter({});
  auto made = several(3);
  packets_.keep(made[1]);
  EXPECT_EQ(port.transmit(made.data(), 3), 3u);
  EXPECT_EQ(host_.sent, counting(3));
  EXPECT_EQ(packets_.live(), 1u);
  EXPECT_FALSE(packets_.shared(made[1])) << "its sender's alone";
  EXPECT_EQ(port.next_event_ns(), kNever);
  packets_.free(made[1]);
}

TEST_F(SimEnvTest, transmit_partial_bursts__expect_the_first_ones_taken_and_it_counted) {
  SimTransmitter port = transmitter({.partial_burst = 1});
  auto made = several(8);
  uint32_t sent = 0;
  while (sent < 7) {
    const uint32_t taken = port.transmit(made.data() + sent, 8 - sent);
    ASSERT_GT(taken, 0u);
    ASSERT_LT(taken, 8 - sent);
    sent += taken;
  }
  EXPECT_GT(port.counts().partial_bursts, 0u);
  EXPECT_EQ(port.transmit(made.data() + 7, 1), 1u) << "there is no part of one";
  EXPECT_EQ(host_.sent, counting(8));
  now_ns_ = kCalmNs;
  made = several(8);
  EXPECT_EQ(port.transmit(made.data(), 8), 8u);
}

TEST_F(SimEnvTest, transmit_to_a_port_that_refuses__expect_nothing_taken_and_when_it_will) {
  SimTransmitter port = transmitter({.refusal = 1, .refusal_ns = 1'000});
  auto made = several(2);
  EXPECT_EQ(port.transmit(made.data(), 2), 0u);
  EXPECT_EQ(port.counts().refusals, 1u);
  const uint64_t until_ns = port.next_event_ns();
  EXPECT_GT(until_ns, now_ns_);
  EXPECT_LE(until_ns, 1'000u);
  EXPECT_EQ(port.transmit(made.data(), 2), 0u);
  EXPECT_EQ(port.counts().refusals, 1u) << "still the same one";
  now_ns_ = kCalmNs;
  EXPECT_EQ(port.transmit(made.data(), 2), 2u);
  EXPECT_EQ(host_.sent, counting(2));
  EXPECT_EQ(port.next_event_ns(), kNever);
}

TEST_F(SimEnvTest, free_late__expect_packets_with_the_port_until_it_is_asked_in_time) {
  SimTransmitter port = transmitter({.late_free_ns = 1'000});
  auto made = several(8);
  EXPECT_EQ(port.transmit(made.data(), 8), 8u);
  EXPECT_EQ(host_.sent, counting(8)) << "it sends at once";
  EXPECT_EQ(packets_.live(), 8u);
  port.reclaim();
  EXPECT_GT(packets_.live(), 0u);
  EXPECT_GT(port.counts().late_frees, 0u);
  EXPECT_LE(port.next_event_ns(), 1'000u);
  now_ns_ = 1'000;
  EXPECT_GT(packets_.live(), 0u) << "some look only when they are asked";
  port.reclaim();
  EXPECT_EQ(packets_.live(), 0u);
  EXPECT_EQ(port.next_event_ns(), kNever);
  EXPECT_TRUE(host_.misuses.empty());
}

TEST_F(SimEnvTest, free_late_and_then_calm__expect_everything_back_when_asked) {
  SimTransmitter port = transmitter({.late_free_ns = 100 * kCalmNs});
  auto made = several(8);
  EXPECT_EQ(port.transmit(made.data(), 8), 8u);
  EXPECT_LE(port.next_event_ns(), kCalmNs);
  now_ns_ = kCalmNs;
  port.reclaim();
  EXPECT_EQ(packets_.live(), 0u);
}

TEST_F(SimEnvTest, change_a_packet_that_the_port_has__expect_it_told) {
  SimTransmitter port = transmitter({.late_free_ns = 1'000});
  SimPacket* changed = packet(1);
  packets_.share(changed);
  EXPECT_EQ(port.transmit(&changed, 1), 1u);
  changed->bytes[50] ^= 1;
  now_ns_ = 1'000;
  port.reclaim();
  ASSERT_EQ(host_.misuses.size(), 1u);
  EXPECT_NE(host_.misuses[0].find("changes"), std::string::npos);
  packets_.free(changed);
}

TEST_F(SimEnvTest, give_back_what_the_port_has__expect_it_told) {
  SimTransmitter port = transmitter({.late_free_ns = 1'000});
  SimPacket* lost = packet(1);
  EXPECT_EQ(port.transmit(&lost, 1), 1u);
  packets_.free(lost);  // the port's reference
  now_ns_ = 1'000;
  port.reclaim();
  EXPECT_FALSE(host_.misuses.empty());
}

TEST_F(SimEnvTest, transmit_what_was_given_back__expect_it_told) {
  SimTransmitter port = transmitter({});
  SimPacket* gone = packet(1);
  packets_.free(gone);
  EXPECT_EQ(port.transmit(&gone, 1), 1u);
  EXPECT_FALSE(host_.misuses.empty());
}

TEST_F(SimEnvTest, destroy_a_port_with_packets__expect_them_back) {
  {
    SimTransmitter port = transmitter({.late_free_ns = 1'000});
    auto made = several(3);
    EXPECT_EQ(port.transmit(made.data(), 3), 3u);
    EXPECT_EQ(packets_.live(), 3u);
  }
  EXPECT_EQ(packets_.live(), 0u);
}

TEST_F(SimEnvTest, make_links__expect_the_wakers_of_their_ends) {
  SimReceiver receiver(packets_, {}, 1);
  SimTransmitter port = transmitter({});
  Counting producer;
  Counting consumer;
  SimEnv env{
      packets_, receiver, port, [&](node::LinkId link) {
        return link == node::LinkId::kHeard ? SimEnv::Ends{&producer, &consumer} : SimEnv::Ends{};
      }};
  auto queue = env.make_queue(node::LinkId::kHeard, 1);
  ASSERT_TRUE(queue);
  SimPacket* one = packet(1);
  queue->push(&one, 1);
  EXPECT_EQ(queue->pull(&one, 1), 1u);
  EXPECT_EQ(producer.times, 1);
  EXPECT_EQ(consumer.times, 1);
  packets_.free(one);
  SimPacket* other = packet(2);
  EXPECT_EQ(SimEnv::packet(SimEnv::handle(other)), other);
  SimEnv::set_length(other, 70);
  EXPECT_EQ(SimEnv::length(other), 70u);
  packets_.free(other);
}

}  // namespace
}  // namespace lambdacast::sim
