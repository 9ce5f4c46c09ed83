// SPDX-License-Identifier: BSD-3-Clause
#include "true_run.h"

namespace lambdacast::sim {
namespace {

class CheckBoundsTest : public TrueRun {
 protected:
  size_t violations() { return check_bounds(scenario_, log_).size(); }
};

TEST_F(CheckBoundsTest, true_run__expect_no_violation) { EXPECT_EQ(violations(), 0u); }

TEST_F(CheckBoundsTest, memory_beyond_its_bound_or_kept__expect_violation) {
  const Log sound = log_;
  log_.lives[1].most_packets = 10'000;
  EXPECT_EQ(violations(), 1u);
  log_ = sound;
  log_.lives[2].most_held = scenario_.nodes[2].repair.hold_pkts;
  EXPECT_EQ(violations(), 0u);
  ++log_.lives[2].most_held;
  EXPECT_EQ(violations(), 1u);
  log_ = sound;
  log_.lives[1].packets_left = 1;
  EXPECT_EQ(violations(), 1u);
  log_ = sound;
  log_.misuse.emplace_back("a packet was given back twice");
  EXPECT_EQ(violations(), 1u);
}

// Until it hears a newcomer's room a sender may send a window's worth that finds none.
TEST_F(CheckBoundsTest,
       packets_beyond_a_receivers_window__expect_violation_beyond_one_windows_worth) {
  const auto arrival = std::find_if(log_.arrivals.begin(), log_.arrivals.end(),
                                    [&](const Arrival& each) { return each.receiver == 2; });
  Arrival refused = *arrival;
  refused.outcome = counters::DropReason::kTooFarAhead;
  const uint32_t most =
      scenario_.nodes[log_.lives[log_.frames[refused.frame].life].node].repair.transmit_window_pkts;
  log_.arrivals.insert(log_.arrivals.end(), most, refused);
  EXPECT_EQ(violations(), 0u);
  log_.arrivals.insert(log_.arrivals.end(), 10 * most, refused);
  EXPECT_EQ(violations(), 1u);
}

// The same repair over and over, and nobody lacks it any more.
TEST_F(CheckBoundsTest, repairs_of_use_to_nobody__expect_violation_beyond_a_few) {
  SentFrame repair =
      *std::find_if(log_.frames.rbegin(), log_.frames.rend(), [&](const SentFrame& each) {
        return each.life == 0 && log_.publications[each.publication].epilogue;
      });
  repair.repair = true;
  log_.frames.insert(log_.frames.end(), 20, repair);
  EXPECT_EQ(violations(), 0u);
  log_.frames.insert(log_.frames.end(), 20, repair);
  EXPECT_EQ(violations(), 1u);
  const Scenario strict = scenario_;
  scenario_.fabric.receivers[1].delay = 0.1;  // what is late is asked for as if it were lost
  EXPECT_EQ(violations(), 0u);
  scenario_ = strict;
  scenario_.nodes[0].repair.initial_rtt_ns = 2 * scenario_.fabric.latency_ns - 1;
  EXPECT_EQ(violations(), 0u);
}

TEST_F(CheckBoundsTest, a_port_holds_repairs_back_or_a_node_comes_late__expect_needless_ones) {
  SentFrame repair =
      *std::find_if(log_.frames.rbegin(), log_.frames.rend(), [&](const SentFrame& each) {
        return each.life == 0 && log_.publications[each.publication].epilogue;
      });
  repair.repair = true;
  log_.frames.insert(log_.frames.end(), 150, repair);
  EXPECT_EQ(violations(), 1u);
  SentFrame& first = log_.frames[log_.frames.size() - 150];
  first.held_back = true;
  EXPECT_EQ(violations(), 0u);
  first.held_back = false;
  scenario_.nodes[0].repair.transmit_window_pkts = 150;
  log_.lives[1].born_ns = 1;
  EXPECT_EQ(violations(), 0u);
}

// Whoever lacks it may have lost any number of them.
TEST_F(CheckBoundsTest, repairs_that_never_reach_who_lacks_them__expect_no_violation) {
  const auto repair = std::find_if(log_.frames.rbegin(), log_.frames.rend(),
                                   [](const SentFrame& each) { return each.repair; });
  std::erase_if(log_.arrivals, [&](const Arrival& each) {
    return each.receiver == 2 && log_.frames[each.frame].publication == repair->publication;
  });
  log_.frames.insert(log_.frames.end(), 40, SentFrame(*repair));
  EXPECT_EQ(violations(), 0u);
}

TEST_F(CheckBoundsTest, repairs_for_one_that_has_died_since_it_asked__expect_one_of_each_allowed) {
  const auto crashed = std::find_if(log_.lives.begin(), log_.lives.end(),
                                    [](const Life& each) { return each.died_ns != kNever; });
  const auto receiver = static_cast<uint32_t>(crashed - log_.lives.begin());
  std::vector<SentFrame> repairs;
  for (const SentFrame& each : log_.frames) {
    if (each.life != 0 || each.rel_seq > (uint64_t{1} << 32) + 40 || each.repair) continue;
    if (log_.publications[each.publication].qos == wire::Qos::kUnreliable) continue;
    repairs.push_back(each);
    repairs.back().repair = true;
    repairs.back().at_ns = crashed->died_ns + 1;
  }
  ASSERT_GT(repairs.size(), 30u);
  std::erase_if(log_.arrivals, [&](const Arrival& each) { return each.receiver == receiver; });
  log_.frames.insert(log_.frames.end(), repairs.begin(), repairs.end());
  EXPECT_EQ(violations(), 0u);
  log_.frames.insert(log_.frames.end(), repairs.begin(), repairs.end());
  EXPECT_EQ(violations(), 1u);
}

// An unreliable message waits for a millisecond, and meanwhile nothing but repairs is sent.
TEST_F(CheckBoundsTest, repairs_while_data_waits__expect_violation_beyond_their_share) {
  scenario_.nodes[0].repair.repair_share_percent = 50;
  scenario_.fabric.receivers[1].delay = 0.1;
  log_.publications.push_back({.qos = wire::Qos::kUnreliable,
                               .accepted_ns = 60'000'000,
                               .sent_ns = 61'000'000,
                               .transmissions = 1});
  SentFrame repair = *std::find_if(log_.frames.rbegin(), log_.frames.rend(),
                                   [](const SentFrame& each) { return each.repair; });
  repair.at_ns = 60'500'000;
  log_.frames.insert(log_.frames.end(), 129, repair);
  EXPECT_EQ(violations(), 0u);
  log_.frames.insert(log_.frames.end(), 2, repair);
  EXPECT_EQ(violations(), 1u);
  for (SentFrame& frame : log_.frames) {
    if (frame.at_ns == repair.at_ns) frame.at_ns += 1'000'000;  // nothing waits then
  }
  EXPECT_EQ(violations(), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
