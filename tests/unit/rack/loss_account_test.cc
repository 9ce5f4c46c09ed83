// SPDX-License-Identifier: BSD-3-Clause
#include "rack/loss_account.h"

#include <gtest/gtest.h>

#include <functional>

namespace lambdacast::rack {
namespace {

using counters::DropReason;

// One of each: 100 frames sent by the peers and 2 copies, of which every counter got its share.
struct Counts {
  node::NodeReport stages;
  dpdk::PortStatistics port;

  Counts() {
    port.missed = 5;
    port.no_mbuf = 4;
    port.rx_errors = 3;
    port.extended = {{"filtered", 2},
                     {"too_long", 1},
                     {"fault_lost", 6},
                     {"fault_duplicated", 2},
                     {"rx_rate_dropped", 2}};  // of those missed
    stages.receive.counters.drops.add(DropReason::kBadIcrc, 7);
    stages.receive.counters.drops.add(DropReason::kQkeyMismatch, 8);
    stages.reliability.counters.drops.add(DropReason::kDuplicate, 2);
    stages.reliability.counters.drops.add(DropReason::kTooOld, 9);
    stages.ordering.counters.drops.add(DropReason::kNotSubscribed, 10);
    stages.ordering.counters.forwarded = 45;
  }
};

ReceiverAccount account_of(const Counts& counts, uint64_t expected) {
  ReceiverAccount account = account_of_receiver(counts.stages, counts.port);
  account.expected = expected;
  return account;
}

TEST(LossAccountTest, count_one_of_each__expect_each_under_its_reason) {
  const ReceiverAccount account = account_of(Counts(), 100);
  const LossesByReason wanted = {{"ring_overrun", 3},   {"rx_rate", 2},       {"no_mbuf", 4},
                                 {"port_error", 3},     {"too_long", 1},      {"fault_lost", 6},
                                 {"bad_icrc", 7},       {"qkey_mismatch", 8}, {"too_old", 9},
                                 {"not_subscribed", 10}};
  EXPECT_EQ(account.losses, wanted);
  EXPECT_EQ(account.lost(), 53u);
  EXPECT_EQ(account.foreign, 2u);  // filtered
  EXPECT_EQ(account.delivered, 45u);
  EXPECT_EQ(account.duplicates, 2u);
  EXPECT_EQ(account.copies, 2u);
  EXPECT_EQ(account.corrupted, 7u);
  EXPECT_TRUE(account.balanced());
}

TEST(LossAccountTest, hear_other_fabrics__expect_their_frames_foreign_and_none_lost) {
  Counts counts;
  for (const DropReason reason :
       {DropReason::kWrongDestinationGid, DropReason::kMulticastQpn, DropReason::kUnknownQpn,
        DropReason::kPkeyMismatch, DropReason::kForeignFabric}) {
    counts.stages.receive.counters.drops.add(reason, 3);
  }
  ReceiverAccount account = account_of(counts, 100);
  account.elsewhere = 15;
  EXPECT_EQ(account.foreign, 2u + 15u);
  EXPECT_EQ(account.losses, account_of(Counts(), 100).losses);
  EXPECT_TRUE(account.balanced());
}

TEST(LossAccountTest, change_any_one_count__expect_the_account_not_to_balance) {
  const std::vector<std::function<void(Counts&)>> changes = {
      [](Counts& c) { ++c.port.missed; },
      [](Counts& c) { --c.port.no_mbuf; },
      [](Counts& c) { ++c.port.rx_errors; },
      [](Counts& c) { ++c.port.extended["filtered"]; },
      [](Counts& c) { c.port.extended.erase("fault_lost"); },
      [](Counts& c) { ++c.port.extended["fault_duplicated"]; },
      [](Counts& c) { c.stages.receive.counters.drops.add(DropReason::kNotIp); },
      [](Counts& c) { c.stages.reliability.counters.drops.add(DropReason::kDuplicate); },
      [](Counts& c) { ++c.stages.ordering.counters.forwarded; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    Counts counts;
    changes[i](counts);
    EXPECT_FALSE(account_of(counts, 100).balanced()) << "change " << i;
  }
  EXPECT_FALSE(account_of(Counts(), 101).balanced());
}

// Five of its own came back, three packets of marks were heard, two had no place in a view and four
// wait for theirs.
TEST(LossAccountTest, be_in_a_view__expect_own_packets_marks_and_what_has_no_place_told_apart) {
  Counts counts;
  counts.stages.reliability.counters.forwarded = 45 + 3 + 2 + 4;
  counts.stages.ordering.counters.received = 45 + 5;
  counts.stages.ordering.counters.forwarded = 45 + 5;
  const ReceiverAccount without = account_of(counts, 100);
  EXPECT_FALSE(without.balanced());
  counts.stages.view.emplace().account = {.own = 5, .marks = 3, .waiting = 4, .voided = 2};
  const ReceiverAccount account = account_of(counts, 100 + 3 + 2 + 4);
  EXPECT_EQ(account.own, 5u);
  EXPECT_EQ(account.delivered, 50u);
  EXPECT_EQ(account.marks, 3u);
  EXPECT_EQ(account.losses.at("not_in_view"), 2u);
  EXPECT_EQ(account.inside, 4u);
  EXPECT_TRUE(account.balanced());
}

TEST(LossAccountTest, count_nothing__expect_no_reasons_and_a_balance) {
  const ReceiverAccount account = account_of_receiver({}, {});
  EXPECT_TRUE(account.losses.empty());
  EXPECT_EQ(account.lost(), 0u);
  EXPECT_TRUE(account.balanced());
}

TEST(LossAccountTest, ask_a_port_for_a_counter_it_lacks__expect_zero) {
  EXPECT_EQ(dpdk::PortStatistics().extended_or_zero("fault_lost"), 0u);
}

TEST(LossAccountTest, number_more_than_reached_the_fabric__expect_the_difference_lost_there) {
  node::NodeReport stages;
  stages.rate_control.packets = 50;
  dpdk::PortStatistics port;
  port.tx_packets = 47;
  const TransmitterAccount account = account_of_transmitter(stages, port);
  EXPECT_EQ(account.numbered, 50u);
  EXPECT_EQ(account.on_the_fabric, 47u);
  EXPECT_EQ(account.lost(), 3u);

  stages.rate_control.control_packets = 7;
  stages.view.emplace().account.relayed = 2;  // data frames, however they went out
  EXPECT_EQ(account_of_transmitter(stages, port).numbered, 52u);
  EXPECT_EQ(account_of_transmitter(stages, port).control, 5u);

  stages = {};
  stages.rate_control.packets = 50;
  port.tx_packets = 51;  // read later, while it sends
  EXPECT_EQ(account_of_transmitter(stages, port).lost(), 0u);
}

}  // namespace
}  // namespace lambdacast::rack
