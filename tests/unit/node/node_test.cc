// SPDX-License-Identifier: BSD-3-Clause
#include "node/node.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "small_network.h"

namespace lambdacast::node {
namespace {

std::vector<uint8_t> message(uint64_t number) {
  std::vector<uint8_t> bytes(16);
  base::store_be64(bytes.data(), number);
  return bytes;
}

void publish(SmallNetwork& network, size_t node, uint64_t count, wire::Qos qos,
             uint64_t every_ns = 1'000) {
  for (uint64_t i = 0; i < count; ++i) {
    while (!network.endpoint(node).publish(message(i), 1, qos)) network.run_for(10'000);
    network.run_for(every_ns);
  }
}

// Of each delivery, in its order, the number that the message carries.
std::vector<uint64_t> numbers(SmallNetwork& network, size_t node) {
  std::vector<uint64_t> out;
  for (const Delivery& each : network.host(node).deliveries) {
    out.push_back(base::load_be64(each.bytes.data()));
  }
  return out;
}

std::vector<uint64_t> counting(uint64_t count) {
  std::vector<uint64_t> out(count);
  for (uint64_t i = 0; i < count; ++i) out[i] = i;
  return out;
}

TEST(Node, publish_source_ordered_without_loss__expect_all_in_order_and_released) {
  SmallNetwork network(4);
  network.run_until_joined();
  publish(network, 0, 500, wire::Qos::kSourceOrdered);
  network.run_for(20'000'000);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(numbers(network, i), counting(500)) << i;
  EXPECT_TRUE(network.endpoint(0).flushed());
  EXPECT_EQ(network.node(0).sender().window().size(), 0u);
  EXPECT_EQ(network.node(0).sender().counters().nacks, 0u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(network.live(i), 0u) << i;
}

TEST(Node, receive_a_burst__expect_an_outcome_for_each_and_most_judged_together) {
  SmallNetwork network(2);
  network.run_until_joined();
  std::vector<std::vector<uint8_t>> sent;  // what node 1 is given here instead
  network.loses = [&](size_t from, size_t, std::span<const uint8_t> frame) {
    if (from == 0) sent.emplace_back(frame.begin(), frame.end());
    return from == 0;
  };
  for (uint64_t i = 0; i < 20; ++i)
    ASSERT_TRUE(network.endpoint(0).publish(message(i), 1, wire::Qos::kSourceOrdered));
  network.run_for(1);
  ASSERT_EQ(sent.size(), 20u);
  sent[7].back() ^= 1;                       // damaged
  sent.insert(sent.begin() + 14, sent[13]);  // twice
  network.host(1).outcomes.clear();
  for (const auto& frame : sent) network.arrive(1, frame);
  network.turn(1);
  const auto& outcomes = network.host(1).outcomes;
  ASSERT_EQ(outcomes.size(), sent.size());
  // The receive stage judges the whole burst before the stage behind it does.
  EXPECT_EQ(outcomes[0], counters::DropReason::kBadIcrc);
  for (size_t i = 1; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i], i == 14 ? counters::DropReason::kDuplicate : counters::DropReason::kNone)
        << i;
  }
  EXPECT_EQ(numbers(network, 1), counting(7));  // the others wait for number 7
  EXPECT_EQ(network.node(1).reliability().in_runs(),
            6u + 5 + 6);  // not a stream's first, nor one behind a loss
  network.loses = nullptr;
  network.run_for(1'000'000);
  EXPECT_EQ(numbers(network, 1), counting(20));
  EXPECT_EQ(network.live(1), 0u);
}

TEST(Node, receive_more_than_a_burst__expect_an_outcome_for_each) {
  SmallNetwork network(2, [](size_t, SmallConfig& config) { config.node.burst = kMaxBurst; });
  network.run_until_joined();
  std::vector<uint8_t> sent;
  network.loses = [&](size_t from, size_t, std::span<const uint8_t> frame) {
    if (from == 0) sent.assign(frame.begin(), frame.end());
    return from == 0;
  };
  ASSERT_TRUE(network.endpoint(0).publish(message(0), 1, wire::Qos::kSourceOrdered));
  network.run_for(1);
  auto& outcomes = network.host(1).outcomes;
  outcomes.clear();
  constexpr size_t kFrames = 2 * kMaxBurst + 1;
  for (size_t i = 0; i < kFrames; ++i) network.arrive(1, sent);
  while (network.endpoint(1).receiver().waiting() != 0) network.turn(1);
  ASSERT_EQ(outcomes.size(), kFrames);
  EXPECT_EQ(outcomes[0], counters::DropReason::kNone);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), counters::DropReason::kDuplicate),
            2 * kMaxBurst);
}

TEST(Node, publish__expect_it_stable_when_every_receiver_has_it) {
  SmallNetwork network(3);
  sim::SimEndpoint& sender = network.endpoint(0);
  ASSERT_TRUE(sender.publish(message(0), 1, wire::Qos::kReliable));
  network.run_for(1);
  EXPECT_EQ(sender.stable(), 1u);  // for nobody
  network.run_until_joined();
  bool deaf = true;
  network.loses = [&](size_t, size_t to, std::span<const uint8_t>) { return deaf && to == 2; };
  ASSERT_TRUE(sender.publish(message(1), 1, wire::Qos::kUnreliable));
  for (uint64_t i = 2; i < 5; ++i)
    ASSERT_TRUE(sender.publish(message(i), 1, wire::Qos::kSourceOrdered));
  EXPECT_EQ(sender.published(), 4u);
  network.run_for(1'000'000);
  EXPECT_EQ(numbers(network, 1).size(), 4u);
  EXPECT_EQ(sender.stable(), 1u);
  deaf = false;
  network.run_for(20'000'000);
  EXPECT_EQ(sender.stable(), 4u);
}

TEST(Node, lose_one_packet_at_one_receiver__expect_it_repaired_within_two_round_trips) {
  SmallNetwork network(4);
  network.run_until_joined();
  uint64_t seen = 0;
  network.loses = [&](size_t from, size_t to, std::span<const uint8_t> frame) {
    return from == 0 && to == 2 && frame[33] % 2 == 1 && ++seen == 100;
  };
  publish(network, 0, 200, wire::Qos::kSourceOrdered);
  network.run_for(20'000'000);
  EXPECT_EQ(numbers(network, 2), counting(200));
  const auto& receiver = network.node(2).receiver();
  EXPECT_EQ(receiver.repair_ns().count(), 1u);
  EXPECT_LE(receiver.repair_ns().max(), 4 * SmallNetwork::kLatencyNs);
  EXPECT_EQ(receiver.counters().nacks_sent, 1u);
  EXPECT_EQ(network.node(0).sender().counters().repairs, 1u);
  EXPECT_EQ(network.node(0).sender().counters().lost_by_all, 0u);
  EXPECT_EQ(network.node(0).sender().counters().lost_by_some, 1u);
}

TEST(Node, lose_much_of_everything__expect_exactly_once_in_order) {
  for (const wire::Qos qos : {wire::Qos::kReliable, wire::Qos::kSourceOrdered}) {
    SmallNetwork network(4);
    base::SplitMix64 random(7);
    network.loses = [&](size_t, size_t, std::span<const uint8_t>) { return random.below(5) == 0; };
    network.run_until_joined();
    publish(network, 0, 2000, qos);
    network.run_for(100'000'000);
    for (size_t i = 1; i < 4; ++i) {
      std::vector<uint64_t> got = numbers(network, i);
      if (qos == wire::Qos::kReliable) std::sort(got.begin(), got.end());
      EXPECT_EQ(got, counting(2000)) << i;
      EXPECT_TRUE(network.host(i).gaps.empty());
    }
    EXPECT_TRUE(network.endpoint(0).flushed());
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(network.live(i), 0u) << i;
  }
}

}  // namespace
}  // namespace lambdacast::node
