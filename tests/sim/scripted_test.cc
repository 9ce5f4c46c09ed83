// SPDX-License-Identifier: BSD-3-Clause
// Scenarios written by hand, one question each. What is asserted beside the checkers is what makes
// the scenario worth its name: that the fault in question really struck.

#include "scripted.h"

namespace lambdacast::sim {
namespace {

// --- slow receivers ------------------------------------------------------------------------------

TEST(Scripted, pace_with_a_pause_shorter_than_suspicion__expect_nothing_lost) {
  Scenario scenario = rack(4, 1000);
  pause(scenario, 2, 3 * kMs, 11 * kMs);
  scenario.nodes[2].ring_frames = 50;
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(declared(run), 0u);
  EXPECT_EQ(run.seen.evicted_silent, 0u);
  EXPECT_GT(run.window_closed, 0u);  // the sender waited
  EXPECT_GT(run.seen.ring_losses, 50u);
  for (const size_t node : {1, 2, 3}) EXPECT_EQ(delivered(run, node), 1000u);
}

TEST(Scripted, evict_with_a_pause__expect_the_others_to_go_on_and_the_stopped_one_told) {
  Scenario scenario = rack(4, 2000);
  for (NodeScenario& node : scenario.nodes) {
    node.repair.slow_receiver = SlowReceiver::kEvict;
    node.repair.evict_lag_ns = 500'000;
  }
  pause(scenario, 2, 3 * kMs, 11 * kMs);
  scenario.nodes[2].ring_frames = 50;
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(run.seen.evicted_lag, 1u);
  EXPECT_EQ(run.seen.evicted_silent, 0u);
  EXPECT_GT(run.seen.lost_evicted, 100u);  // and it was told
  EXPECT_EQ(delivered(run, 2) + run.seen.lost_evicted, 2000u);
  // The others: at least 0.9 of what was published by then, one message each 10 us.
  for (const size_t node : {1, 3}) EXPECT_GE(delivered(run, node, 11 * kMs), 900u);
}

// Whatever it hears first on waking, what it lacks is lost for that reason.
TEST(Scripted, wake_evicted_at_any_moment__expect_no_other_reason_than_the_eviction) {
  for (uint64_t phase = 0; phase < 20; ++phase) {
    Scenario scenario = rack(4, 2000);
    for (NodeScenario& node : scenario.nodes) {
      node.repair.slow_receiver = SlowReceiver::kEvict;
      node.repair.evict_lag_ns = 500'000;
    }
    pause(scenario, 2, 3 * kMs, 11 * kMs + phase * 7'000);
    scenario.nodes[2].ring_frames = 50;
    const Outcome run = run_checked(scenario, phase);
    EXPECT_GT(run.seen.lost_evicted, 100u);
    EXPECT_EQ(run.seen.lost_outside_retention, 0u) << phase;
  }
}

TEST(Scripted, pause_longer_than_suspicion__expect_it_cut_off_told_and_joined_again) {
  Scenario scenario = rack(3, 1000);
  pause(scenario, 2, 3 * kMs, 20 * kMs);
  scenario.nodes[2].ring_frames = 50;
  const Outcome run = run_checked(scenario);
  EXPECT_GE(run.seen.evicted_silent, 1u);
  EXPECT_GT(run.seen.lost_evicted, 0u);
  EXPECT_EQ(delivered(run, 1), 1000u);
}

TEST(Scripted, woken_sender__expect_it_to_accuse_nobody) {
  Scenario scenario = rack(4, 1000);
  pause(scenario, 0, 3 * kMs, 11 * kMs);
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(run.seen.evicted_silent, 0u);
  EXPECT_EQ(declared(run), 0u);
}

// What waits is heard before a lag is judged. Once the end of a life was told of the one that came
// next: an event did not say whose it was.
TEST(Scripted, a_lag_ends_when_its_next_life_is_heard__expect_the_old_life_named) {
  Scenario scenario = rack(4, 1000);
  for (NodeScenario& node : scenario.nodes) {
    node.repair.slow_receiver = SlowReceiver::kEvict;
    node.repair.evict_lag_ns = 500'000;
  }
  scenario.nodes[0].poll_every_ns = 300'000;
  scenario.actions.push_back({3 * kMs, 2, Action::What::kPause});
  scenario.actions.push_back({3'250'000, 2, Action::What::kCrash});
  scenario.actions.push_back({3'250'000, 2, Action::What::kStart});
  const Outcome run = run_checked(scenario);
  const auto at = [&](uint32_t life, What what) {
    for (const Membership& each : run.log.memberships) {
      if (each.sender == 0 && each.receiver == life && each.what == what) return each.at_ns;
    }
    return kNever;
  };
  EXPECT_EQ(at(2, What::kEvictedLag), kNever);
  EXPECT_NE(at(2, What::kRestarted), kNever);
  EXPECT_EQ(at(2, What::kRestarted), at(4, What::kJoined));
}

// It is admitted and never hears so. Once the checkers took the lag for that of the time after.
TEST(Scripted, evict_and_admit_in_the_next_poll__expect_a_lag_from_before) {
  Scenario scenario = rack(3, 1000);
  for (NodeScenario& node : scenario.nodes) {
    node.repair.slow_receiver = SlowReceiver::kEvict;
    node.repair.evict_lag_ns = 500'000;
  }
  scenario.nodes[0].poll_every_ns = 300'000;
  scenario.nodes[2].repair.status_max_ns = 100'000;
  scenario.fabric.partitions.push_back({0, 2, kMs / 10, 9 * kMs});
  const Outcome run = run_checked(scenario);
  const auto at_once = std::adjacent_find(run.log.memberships.begin(), run.log.memberships.end(),
                                          [](const Membership& a, const Membership& b) {
                                            return a.receiver == 2 && b.receiver == 2 &&
                                                   a.what == What::kEvictedLag &&
                                                   b.what == What::kJoined &&
                                                   b.at_ns - a.at_ns < kMs;
                                          });
  EXPECT_NE(at_once, run.log.memberships.end());
}

// Once it was cut off again and again for the age of what it had been admitted to.
TEST(Scripted, join_late_to_retained_packets_under_evict__expect_them_all_and_no_eviction) {
  Scenario scenario = rack(3, 100);
  for (NodeScenario& node : scenario.nodes) {
    node.repair.slow_receiver = SlowReceiver::kEvict;
    node.repair.evict_lag_ns = 500'000;
    node.repair.late_join = LateJoin::kRetained;
  }
  scenario.actions[2].at_ns = 20 * kMs;
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(run.seen.evicted_lag, 0u);
  EXPECT_EQ(delivered(run, 2), 100u);
}

// --- losses --------------------------------------------------------------------------------------

TEST(Scripted, lost_tail__expect_it_repaired_by_the_heartbeat) {
  Scenario scenario = rack(3, 100);
  // The last ten messages, and all else for as long.
  scenario.fabric.partitions.push_back({0, 1, kMs + 900'000, kMs + 1'000'000});
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(delivered(run, 1, 4 * kMs), 100u);
  EXPECT_EQ(declared(run), 0u);
}

TEST(Scripted, unreliable_messages_lost__expect_no_nack_and_nothing_held_back) {
  Scenario scenario = rack(3, 1000);
  scenario.nodes[0].traffic.unreliable_weight = 1;
  scenario.nodes[0].traffic.ordered_weight = 0;
  scenario.fabric.receivers[1].loss = 0.2;
  scenario.fabric.faults_end_ns = 50 * kMs;
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(run.log.nack_frames.size(), 0u);
  EXPECT_EQ(run.seen.repairs, 0u);
  EXPECT_LT(delivered(run, 1), 850u);
  EXPECT_EQ(delivered(run, 2), 1000u);
}

TEST(Scripted, sequences_across_their_wraps__expect_nothing_lost) {
  for (const unsigned bits : {24u, 32u, 63u}) {
    Scenario scenario = rack(3, 500);
    scenario.nodes[0].first_frame_seq = (uint64_t{1} << bits) - 100;
    scenario.nodes[0].repair.first_rel_seq = (uint64_t{1} << bits) - 200;
    scenario.fabric.receivers[1].loss = 0.1;
    scenario.fabric.faults_end_ns = 50 * kMs;
    const Outcome run = run_checked(scenario);
    EXPECT_EQ(delivered(run, 1), 500u);
    EXPECT_GT(run.seen.repairs, 10u);
  }
}

// --- what is bounded, filled ---------------------------------------------------------------------

TEST(Scripted, retention_filled__expect_the_sender_to_wait_and_say_so) {
  Scenario scenario = rack(3, 1000);
  scenario.nodes[0].repair.transmit_window_pkts = 256;
  scenario.nodes[0].max_publications = 16;
  pause(scenario, 1, 3 * kMs, 9 * kMs);
  const Outcome run = run_checked(scenario);
  EXPECT_GT(run.window_closed, 0u);
  EXPECT_EQ(declared(run), 0u);
  EXPECT_LE(run.log.lives[0].most_packets, 256u + 256 + 32 + 1);
  EXPECT_EQ(delivered(run, 1), 1000u);
}

TEST(Scripted, retention_by_time_over__expect_packets_expired_and_declared_lost) {
  Scenario scenario = rack(3, 1000);
  scenario.nodes[0].repair.retain_ns = 2 * kMs;
  pause(scenario, 1, 3 * kMs, 9 * kMs);
  scenario.nodes[1].ring_frames = 20;
  const Outcome run = run_checked(scenario);
  EXPECT_GT(run.expired, 0u);
  EXPECT_GT(run.seen.lost_outside_retention, 0u);
  EXPECT_EQ(delivered(run, 1) + declared(run), 1000u);
}

TEST(Scripted, hold_filled__expect_packets_refused_by_reason_and_asked_for_again) {
  Scenario scenario = rack(3, 1000);
  scenario.nodes[1].repair.hold_pkts = 2;
  scenario.fabric.receivers[1].loss = 0.2;
  scenario.fabric.faults_end_ns = 50 * kMs;
  const Outcome run = run_checked(scenario);
  EXPECT_GT(run.seen.slow_consumer, 0u);
  EXPECT_EQ(delivered(run, 1), 1000u);
}

TEST(Scripted, peer_table_filled_by_the_living__expect_the_latecomer_refused_by_reason) {
  Scenario scenario = rack(4, 100);
  scenario.nodes[0].max_peers = 2;
  scenario.actions[3].at_ns = kMs / 2;
  const Outcome run = run_checked(scenario);
  EXPECT_GT(run.log.lives[0].counters.receive.drops[DropReason::kPeerTableFull], 0u);
  EXPECT_EQ(delivered(run, 1), 100u);
  EXPECT_EQ(delivered(run, 2), 100u);
  EXPECT_EQ(delivered(run, 3), 0u);  // never admitted
}

TEST(Scripted, deadline_passed__expect_a_gap_by_that_reason) {
  Scenario scenario = rack(2, 50);
  for (NodeScenario& node : scenario.nodes) node.repair.repair_deadline_ns = 11 * kMs;
  scenario.nodes[1].repair.repair_deadline_ns = 11 * kMs;
  scenario.nodes[0].repair.suspect_after_ns = 40 * kMs;
  // The receiver hears heartbeats of what it lacks, and nobody hears its NACKs.
  scenario.fabric.partitions.push_back({0, 1, kMs + 200'000, kMs + 600'000});
  scenario.fabric.partitions.push_back({1, 0, kMs + 200'000, 30 * kMs});
  const Outcome run = run_checked(scenario);
  EXPECT_GT(run.seen.lost_deadline, 10u);
}

// Data always waits: repairs get their share of the frames and no more.
TEST(Scripted, repair_share__expect_recovery_within_it) {
  Scenario scenario = rack(3, 4000);
  NodeScenario& sender = scenario.nodes[0];
  sender.repair.repair_share_percent = 10;
  sender.pacer = {100'000, 4};
  sender.max_publications = 512;
  sender.traffic.publish_every_ns = 1'000;
  sender.traffic.unreliable_weight = 9;
  scenario.fabric.receivers[1].loss = scenario.fabric.receivers[2].loss = 0.2;
  scenario.fabric.faults_end_ns = 50 * kMs;
  const Outcome run = run_checked(scenario, 2);
  uint64_t repairs = 0;
  uint64_t frames = 0;
  for (const SentFrame& frame : run.log.frames) {
    if (frame.life != 0 || frame.at_ns > 40 * kMs) continue;
    ++frames;
    repairs += frame.repair ? 1 : 0;
  }
  EXPECT_GT(repairs, 50u);
  EXPECT_LE(static_cast<double>(repairs), 0.1 * static_cast<double>(frames) + 64 * 0.99);
}

}  // namespace
}  // namespace lambdacast::sim
