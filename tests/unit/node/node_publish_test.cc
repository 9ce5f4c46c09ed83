// SPDX-License-Identifier: BSD-3-Clause
// What a node takes to be sent (node_test.cc: what becomes of it).
#include <gtest/gtest.h>

#include <algorithm>

#include "small_network.h"

namespace lambdacast::node {
namespace {

constexpr size_t kLong = 2'500;  // three fragments

std::vector<uint8_t> bytes_of(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i ^ i >> 8);
  return bytes;
}

void little_reassembly(size_t, SmallConfig& config) {
  config.node.delivery.reassembly.max_message_bytes = kLong;
  config.node.publisher.max_message_bytes = kLong;
  config.node.links.publications = 8;
}

TEST(NodePublish, publish_what_does_not_fit_a_packet__expect_it_whole_and_counted_by_packets) {
  SmallNetwork network(3, little_reassembly);
  network.run_until_joined();
  sim::SimEndpoint& sender = network.endpoint(0);
  const auto message = bytes_of(kLong);
  for (const wire::Qos qos :
       {wire::Qos::kUnreliable, wire::Qos::kReliable, wire::Qos::kSourceOrdered}) {
    const uint64_t published = sender.published();
    ASSERT_TRUE(sender.publish(message, 1, qos));
    EXPECT_EQ(sender.published() - published, qos == wire::Qos::kUnreliable ? 0u : 3u);
    network.run_for(1'000'000);
    for (size_t i = 1; i < 3; ++i) {
      ASSERT_FALSE(network.host(i).deliveries.empty());
      EXPECT_EQ(network.host(i).deliveries.back().bytes, message);
      EXPECT_EQ(network.host(i).deliveries.back().qos, qos);
    }
  }
  EXPECT_EQ(network.host(1).deliveries.size(), 3u);
  network.run_for(20'000'000);
  EXPECT_EQ(sender.stable(), sender.published());
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(network.live(i), 0u) << i;
}

TEST(NodePublish, publish_with_loss__expect_every_message_whole_and_in_order) {
  SmallNetwork network(2, little_reassembly);
  network.run_until_joined();
  uint64_t copies = 0;
  network.loses = [&](size_t, size_t, std::span<const uint8_t>) { return ++copies % 7 == 0; };
  for (size_t i = 0; i < 40; ++i) {
    bool taken = false;
    for (int tries = 0; tries < 10'000 && !taken; ++tries) {
      taken = network.endpoint(0).publish(bytes_of(kLong - i), 1, wire::Qos::kSourceOrdered);
      if (!taken) network.run_for(10'000);
    }
    ASSERT_TRUE(taken) << i;
  }
  network.run_for(50'000'000);
  ASSERT_EQ(network.host(1).deliveries.size(), 40u);
  for (size_t i = 0; i < 40; ++i)
    EXPECT_EQ(network.host(1).deliveries[i].bytes, bytes_of(kLong - i)) << i;
}

TEST(NodePublish, too_long_or_of_the_group_layer_or_in_no_view__expect_refused_as_a_whole) {
  SmallNetwork network(2, little_reassembly);
  sim::SimEndpoint& sender = network.endpoint(0);
  EXPECT_FALSE(sender.publish(bytes_of(kLong + 1), 1, wire::Qos::kReliable));
  EXPECT_FALSE(sender.publish(bytes_of(kLong), 1, wire::Qos::kReliable, wire::Kind::kGroup));
  EXPECT_FALSE(sender.publish(bytes_of(kLong), 1, wire::Qos::kTotallyOrdered)) << "in no view";
  EXPECT_FALSE(sender.publish(bytes_of(10), 1, wire::Qos::kTotallyOrdered)) << "in no view";
  EXPECT_EQ(sender.published(), 0u);
  EXPECT_EQ(network.live(0), 0u);
}

TEST(NodePublish, more_than_the_link_takes__expect_the_rest_to_follow_and_nothing_in_between) {
  SmallNetwork network(2, little_reassembly);
  network.run_until_joined();
  sim::SimEndpoint& sender = network.endpoint(0);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(sender.publish(bytes_of(kLong), 1, wire::Qos::kReliable)) << i;
  EXPECT_EQ(network.node(0).publications_waiting(), 8u) << "of nine packets";
  EXPECT_EQ(sender.published(), 9u);
  EXPECT_FALSE(sender.publish(bytes_of(10), 1, wire::Qos::kReliable)) << "one is on its way";
  EXPECT_EQ(network.live(0), 8u);
  network.run_for(20'000'000);
  EXPECT_EQ(sender.published(), 9u);
  ASSERT_EQ(network.host(1).deliveries.size(), 3u);
  for (const Delivery& each : network.host(1).deliveries) EXPECT_EQ(each.bytes, bytes_of(kLong));
  EXPECT_TRUE(sender.publish(bytes_of(10), 1, wire::Qos::kReliable));
}

TEST(NodePublish, too_few_packets_for_a_message__expect_none_of_it_taken) {
  SmallNetwork network(2, [](size_t i, SmallConfig& config) {
    little_reassembly(i, config);
    config.endpoint.wild.pool.packets = 2;
  });
  const auto message = bytes_of(kLong);
  Outgoing outgoing(message, 1, wire::Qos::kReliable);
  EXPECT_EQ(network.node(0).publisher().send(outgoing, network.now_ns()), SendResult::kAgain);
  EXPECT_EQ(network.live(0), 0u);
  EXPECT_EQ(network.node(0).publisher().published(), 0u);
}

}  // namespace
}  // namespace lambdacast::node
