// What MulticastCore takes to be sent (multicast_core_test.cc: what becomes of it).
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

void little_reassembly(size_t, MulticastConfig& config) {
  config.endpoint.delivery.reassembly.max_message_bytes = kLong;
  config.max_publications = 8;
}

TEST(MulticastSend, publish_what_does_not_fit_a_packet__expect_it_whole_and_counted_by_packets) {
  SmallNetwork network(3, little_reassembly);
  network.run_until_joined();
  MulticastCore& sender = network.node(0);
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
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(network.host(i).live, 0) << i;
}

TEST(MulticastSend, publish_with_loss__expect_every_message_whole_and_in_order) {
  SmallNetwork network(2, little_reassembly);
  network.run_until_joined();
  uint64_t copies = 0;
  network.loses = [&](size_t, size_t, std::span<const uint8_t>) { return ++copies % 7 == 0; };
  for (size_t i = 0; i < 40; ++i) {
    bool taken = false;
    for (int tries = 0; tries < 10'000 && !taken; ++tries) {
      taken = network.node(0).publish(bytes_of(kLong - i), 1, wire::Qos::kSourceOrdered);
      if (!taken) network.run_for(10'000);
    }
    ASSERT_TRUE(taken) << i;
  }
  network.run_for(50'000'000);
  ASSERT_EQ(network.host(1).deliveries.size(), 40u);
  for (size_t i = 0; i < 40; ++i)
    EXPECT_EQ(network.host(1).deliveries[i].bytes, bytes_of(kLong - i)) << i;
}

TEST(MulticastSend, too_long_or_of_the_group_layer_or_no_room__expect_refused_as_a_whole) {
  SmallNetwork network(2, little_reassembly);
  MulticastCore& sender = network.node(0);
  EXPECT_FALSE(sender.publish(bytes_of(kLong + 1), 1, wire::Qos::kReliable));
  EXPECT_FALSE(sender.publish(bytes_of(kLong), 1, wire::Qos::kReliable, wire::Kind::kGroup));
  EXPECT_EQ(sender.counters().refused_too_long, 2u);
  EXPECT_FALSE(sender.publish(bytes_of(kLong), 1, wire::Qos::kTotallyOrdered)) << "in no view";
  EXPECT_TRUE(sender.publish(bytes_of(kLong), 1, wire::Qos::kReliable));
  EXPECT_TRUE(sender.publish(bytes_of(kLong), 1, wire::Qos::kReliable));
  EXPECT_FALSE(sender.publish(bytes_of(kLong), 1, wire::Qos::kReliable)) << "two packets are left";
  EXPECT_EQ(sender.published(), 6u);
  EXPECT_TRUE(sender.publish(bytes_of(1'900), 1, wire::Qos::kReliable));
  EXPECT_EQ(network.host(0).live, 8);
}

TEST(MulticastSend, packets_run_out_amid_a_message__expect_none_of_it_taken) {
  SmallNetwork network(2, little_reassembly);
  network.host(0).most_live = 2;
  EXPECT_FALSE(network.node(0).publish(bytes_of(kLong), 1, wire::Qos::kReliable));
  EXPECT_EQ(network.host(0).live, 0);
  network.host(0).most_live = 3;
  EXPECT_TRUE(network.node(0).publish(bytes_of(kLong), 1, wire::Qos::kReliable));
}

}  // namespace
}  // namespace lambdacast::node
