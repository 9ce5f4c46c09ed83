#include "sim/broadcast_fabric.h"

#include <gtest/gtest.h>

#include <bit>

namespace lambdacast::sim {
namespace {

struct Outcome {
  std::vector<FrameCopy> copies;
  std::vector<size_t> lost_at_receiver;
  size_t lost_at_transmitter = 0;
};

const std::vector<uint8_t> kFrame(100, 0x11);

FabricConfig config(size_t nodes) {
  FabricConfig config;
  config.receivers.resize(nodes);
  return config;
}

Outcome transmit(const FabricConfig& config, int frames, uint64_t seed = 1) {
  BroadcastFabric fabric(config, seed);
  Outcome outcome;
  const BroadcastFabric::Sink sink{
      [&] { ++outcome.lost_at_transmitter; },
      [&](size_t receiver) { outcome.lost_at_receiver.push_back(receiver); },
      [&](FrameCopy copy) { outcome.copies.push_back(std::move(copy)); }};
  for (int i = 0; i < frames; ++i) fabric.transmit(0, kFrame, 1000u * i, sink);
  return outcome;
}

TEST(BroadcastFabric, transmit_without_faults__expect_one_copy_for_each_other_node) {
  const Outcome outcome = transmit(config(3), 1);
  ASSERT_EQ(outcome.copies.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(outcome.copies[i].receiver, i + 1);
    EXPECT_EQ(outcome.copies[i].at_ns, FabricConfig{}.latency_ns);
    EXPECT_FALSE(outcome.copies[i].corrupted);
    EXPECT_EQ(outcome.copies[i].bytes, kFrame);
  }
}

TEST(BroadcastFabric, transmit_with_echo__expect_the_sender_to_hear_itself) {
  FabricConfig echoing = config(3);
  echoing.echo = true;
  EXPECT_EQ(transmit(echoing, 1).copies.size(), 3u);
}

TEST(BroadcastFabric, loss_at_one_receiver__expect_the_others_untouched) {
  FabricConfig lossy = config(3);
  lossy.receivers[2].loss = 0.5;
  const Outcome outcome = transmit(lossy, 1000);
  EXPECT_EQ(outcome.copies.size() + outcome.lost_at_receiver.size(), 2000u);
  EXPECT_NEAR(static_cast<double>(outcome.lost_at_receiver.size()), 500, 80);
  for (const size_t receiver : outcome.lost_at_receiver) EXPECT_EQ(receiver, 2u);
}

TEST(BroadcastFabric, loss_at_the_transmitter__expect_all_receivers_to_miss_it) {
  FabricConfig lossy = config(3);
  lossy.transmitter_loss = 0.5;
  const Outcome outcome = transmit(lossy, 1000);
  EXPECT_EQ(outcome.copies.size() + 2 * outcome.lost_at_transmitter, 2000u);
  EXPECT_NEAR(static_cast<double>(outcome.lost_at_transmitter), 500, 80);
  EXPECT_TRUE(outcome.lost_at_receiver.empty());
}

TEST(BroadcastFabric, certain_duplication__expect_each_second_copy_later) {
  FabricConfig duplicating = config(2);
  duplicating.receivers[1].duplication = 1;
  const Outcome outcome = transmit(duplicating, 100);
  ASSERT_EQ(outcome.copies.size(), 200u);
  for (size_t i = 0; i < 200; i += 2) {
    EXPECT_GT(outcome.copies[i + 1].at_ns, outcome.copies[i].at_ns);
  }
}

TEST(BroadcastFabric, certain_corruption__expect_one_to_three_bits_flipped) {
  FabricConfig damaging = config(2);
  damaging.receivers[1].corruption = 1;
  for (const FrameCopy& copy : transmit(damaging, 500).copies) {
    EXPECT_TRUE(copy.corrupted);
    int flipped = 0;
    for (size_t i = 0; i < kFrame.size(); ++i) {
      flipped += std::popcount(static_cast<unsigned>(copy.bytes[i] ^ kFrame[i]));
    }
    EXPECT_GE(flipped, 1);
    EXPECT_LE(flipped, 3);
  }
}

TEST(BroadcastFabric, certain_delay__expect_copies_within_the_bound) {
  FabricConfig delaying = config(2);
  delaying.receivers[1].delay = 1;
  delaying.receivers[1].max_delay_ns = 5000;
  bool overtaken = false;
  uint64_t sent_ns = 0;
  uint64_t last_ns = 0;
  for (const FrameCopy& copy : transmit(delaying, 200).copies) {
    EXPECT_GE(copy.at_ns, sent_ns + delaying.latency_ns);
    EXPECT_LE(copy.at_ns, sent_ns + delaying.latency_ns + 5000);
    overtaken |= copy.at_ns < last_ns;
    last_ns = copy.at_ns;
    sent_ns += 1000;
  }
  EXPECT_TRUE(overtaken);
}

TEST(BroadcastFabric, same_seed__expect_the_same_fates) {
  FabricConfig lossy = config(4);
  for (ReceiverFaults& faults : lossy.receivers) faults.loss = 0.3;
  EXPECT_EQ(transmit(lossy, 300, 7).lost_at_receiver, transmit(lossy, 300, 7).lost_at_receiver);
  EXPECT_NE(transmit(lossy, 300, 7).lost_at_receiver, transmit(lossy, 300, 8).lost_at_receiver);
}

}  // namespace
}  // namespace lambdacast::sim
