// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/broadcast_fabric.h"

#include <gtest/gtest.h>

#include <bit>

namespace lambdacast::sim {
namespace {

struct Outcome {
  std::vector<FrameCopy> copies;
  std::vector<size_t> lost_at_receiver;
  size_t lost_at_transmitter = 0;
};

const FrameBytes kFrame =
    std::make_shared<const std::vector<uint8_t>>(100, static_cast<uint8_t>(0x11));

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
    for (size_t i = 0; i < kFrame->size(); ++i) {
      flipped += std::popcount(static_cast<unsigned>((*copy.bytes)[i] ^ (*kFrame)[i]));
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

TEST(BroadcastFabric, burst_loss__expect_its_share_in_runs_of_its_mean_length) {
  FabricConfig bursty = config(2);
  bursty.receivers[1].burst_loss = 0.1;
  bursty.receivers[1].burst_packets = 10;
  const int frames = 100'000;
  std::vector<bool> came(frames);
  for (const FrameCopy& copy : transmit(bursty, frames).copies) came[copy.at_ns / 1000 - 1] = true;
  double lost = 0;
  double runs = 0;
  for (int i = 1; i < frames; ++i) {
    lost += came[i] ? 0 : 1;
    runs += !came[i] && came[i - 1] ? 1 : 0;
  }
  EXPECT_NEAR(lost / frames, 0.1, 0.02);
  EXPECT_NEAR(lost / runs, 10, 2);
}

TEST(BroadcastFabric, partition__expect_one_direction_cut_for_its_time) {
  FabricConfig parted = config(3);
  parted.partitions.push_back({0, 2, 10'000, 20'000});
  const Outcome outcome = transmit(parted, 30);
  EXPECT_EQ(outcome.lost_at_receiver, std::vector<size_t>(10, 2));
  EXPECT_EQ(outcome.copies.size(), 50u);
  parted.partitions[0] = {2, 0, 0, kNever};
  EXPECT_TRUE(transmit(parted, 30).lost_at_receiver.empty());
}

TEST(BroadcastFabric, jitter__expect_the_order_kept) {
  FabricConfig jittery = config(2);
  jittery.jitter_ns = 10'000;
  uint64_t last_ns = 0;
  uint64_t longest_ns = 0;
  const Outcome outcome = transmit(jittery, 1000);
  for (size_t i = 0; i < outcome.copies.size(); ++i) {
    EXPECT_GE(outcome.copies[i].at_ns, last_ns);
    last_ns = outcome.copies[i].at_ns;
    longest_ns = std::max(longest_ns, last_ns - 1000 * i);
  }
  EXPECT_GT(longest_ns, 8'000u);
}

TEST(BroadcastFabric, faults_end__expect_none_afterwards) {
  FabricConfig ending = config(2);
  ending.receivers[1] = {.loss = 0.5,
                         .burst_loss = 0.3,
                         .duplication = 1,
                         .corruption = 1,
                         .delay = 1,
                         .max_delay_ns = 5000};
  ending.transmitter_loss = 0.5;
  ending.faults_end_ns = 0;
  const Outcome outcome = transmit(ending, 100);
  EXPECT_EQ(outcome.copies.size(), 100u);
  for (const FrameCopy& copy : outcome.copies) EXPECT_FALSE(copy.corrupted);
}

TEST(BroadcastFabric, same_seed__expect_the_same_fates) {
  FabricConfig lossy = config(4);
  for (ReceiverFaults& faults : lossy.receivers) faults.loss = 0.3;
  EXPECT_EQ(transmit(lossy, 300, 7).lost_at_receiver, transmit(lossy, 300, 7).lost_at_receiver);
  EXPECT_NE(transmit(lossy, 300, 7).lost_at_receiver, transmit(lossy, 300, 8).lost_at_receiver);
}

}  // namespace
}  // namespace lambdacast::sim
