// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/sim_env.h"

#include "sim_env_fixture.h"

namespace lambdacast::sim {
namespace sim_env_test {

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

}  // namespace sim_env_test
}  // namespace lambdacast::sim
