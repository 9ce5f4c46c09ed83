// Scenarios written by hand, one question each. What is asserted beside the checkers is what makes
// the scenario worth its name: that the fault in question really struck.

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/checkers.h"
#include "sim/coverage.h"
#include "sim/simulation.h"

namespace lambdacast::sim {
namespace {

using counters::DropReason;
using reliability::LateJoin;
using reliability::LossReason;
using reliability::SlowReceiver;
using What = reliability::ReceiverEvent::What;

constexpr uint64_t kMs = 1'000'000;
constexpr uint32_t kGroup = 7;

// All receive, node 0 sends a message every 10 us from 1 ms on. suspect_after is 10 ms.
Scenario rack(size_t nodes, uint64_t messages) {
  Scenario scenario = quiet_scenario(nodes);
  for (NodeScenario& node : scenario.nodes) node.subscribe = {kGroup};
  Traffic& traffic = scenario.nodes[0].traffic;
  traffic.messages = messages;
  traffic.publish_to = {kGroup};
  traffic.start_ns = kMs;
  traffic.publish_every_ns = 10'000;
  scenario.epilogue_ns = 60 * kMs;
  scenario.end_ns = 80 * kMs;
  return scenario;
}

struct Outcome {
  Log log;
  Coverage seen;
  uint64_t window_closed = 0;  // of node 0
  uint64_t expired = 0;
};

Outcome run_checked(const Scenario& scenario, uint64_t seed = 1) {
  Simulation simulation(scenario, seed);
  Outcome run;
  simulation.at_end = [&](size_t node, const SimEndpoint& endpoint) {
    if (node != 0) return;
    run.window_closed = endpoint.core().sender().counters().window_closed;
    run.expired = endpoint.core().sender().counters().expired;
  };
  run.log = simulation.run().log;
  EXPECT_EQ(check_all(scenario, run.log), Violations{});
  run.seen.add(run.log);
  return run;
}

void pause(Scenario& scenario, size_t node, uint64_t from_ns, uint64_t to_ns) {
  scenario.actions.push_back({from_ns, node, Action::What::kPause});
  scenario.actions.push_back({to_ns, node, Action::What::kResume});
}

uint64_t declared(const Outcome& run) {
  return run.seen.lost_outside_retention + run.seen.lost_sender_gone + run.seen.lost_deadline +
         run.seen.lost_evicted;
}

// Messages of the rack's sender that `node` got, before `end_ns`.
uint64_t delivered(const Outcome& run, size_t node, uint64_t end_ns = kNever) {
  return static_cast<uint64_t>(
      std::count_if(run.log.told.begin(), run.log.told.end(), [&](const Told& told) {
        return !told.is_gap && told.group == kGroup && told.at_ns < end_ns &&
               run.log.lives[told.receiver].node == node;
      }));
}

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

// Once the eviction was told of the life that came next: an event did not say whose it was.
TEST(Scripted, evict_and_hear_its_next_life_in_one_poll__expect_the_old_life_named) {
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
  EXPECT_NE(at(2, What::kEvictedLag), kNever);
  EXPECT_EQ(at(2, What::kEvictedLag), at(4, What::kJoined));
}

// It is admitted and never hears so. Once the checkers took the lag for that of the time after.
TEST(Scripted, evict_and_admit_in_one_poll__expect_a_lag_from_before) {
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
                                                   b.what == What::kJoined && a.at_ns == b.at_ns;
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

// --- the life of senders and receivers -----------------------------------------------------------

TEST(Scripted, sender_restarts__expect_the_old_life_ended_and_the_new_one_heard) {
  Scenario scenario = rack(3, 1000);
  scenario.nodes[0].incarnation = ~uint32_t{0};
  scenario.actions.push_back({5 * kMs, 0, Action::What::kCrash});
  scenario.actions.push_back({5 * kMs + 1'000, 0, Action::What::kStart});
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(run.log.lives.back().incarnation, 0u);
  EXPECT_GE(run.seen.restarts, 2u);
  const auto of_second_life =
      std::count_if(run.log.told.begin(), run.log.told.end(), [&](const Told& told) {
        return told.sender + 1 == run.log.lives.size() && told.group == kGroup;
      });
  EXPECT_GT(of_second_life, 500);
}

// Its last packets, held back by the network, come behind the first heartbeat of its next life.
// Once the checkers took them for frames that nobody may count.
TEST(Scripted, sender_restarts_before_its_packets_arrive__expect_them_counted_and_refused) {
  Scenario scenario = rack(2, 200);
  scenario.fabric.receivers[1].delay = 0.5;
  scenario.fabric.receivers[1].max_delay_ns = 200'000;
  scenario.fabric.faults_end_ns = 4 * kMs;
  scenario.nodes[0].traffic.batch_packets = 20;
  scenario.actions.push_back({1'092'000, 0, Action::What::kCrash});
  scenario.actions.push_back({1'093'000, 0, Action::What::kStart});
  scenario.actions.push_back({1'200'000, 0, Action::What::kCrash});
  scenario.nodes[0].traffic.messages = 200;
  const Outcome run = run_checked(scenario);
  const auto stale = std::count_if(
      run.log.arrivals.begin(), run.log.arrivals.end(),
      [](const Arrival& each) { return each.outcome == DropReason::kStaleIncarnation; });
  EXPECT_GT(stale, 5);
}

TEST(Scripted, herd_of_64_joins_at_once__expect_all_admitted_and_served) {
  Scenario scenario = rack(64, 100);
  scenario.path_mtu = 4096;
  for (NodeScenario& node : scenario.nodes) {
    node.repair.receive_window_pkts = node.repair.hold_pkts = 64;
    node.repair.transmit_window_pkts = 64;
    node.repair.status_ns = 50'000;
  }
  for (size_t node = 1; node < 64; ++node) scenario.actions[node].at_ns = kMs / 2;
  scenario.epilogue_ns = 6 * kMs;
  scenario.end_ns = 10 * kMs;
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(run.seen.admissions, 64u * 63);
  EXPECT_EQ(declared(run), 0u);
}

TEST(Scripted, partition_one_way__expect_the_deaf_one_cut_off_and_back_afterwards) {
  Scenario scenario = rack(3, 3000);
  scenario.fabric.partitions.push_back({0, 1, 3 * kMs, 35 * kMs});
  const Outcome run = run_checked(scenario);
  EXPECT_GE(run.seen.evicted_silent, 1u);
  EXPECT_GT(declared(run), 0u);
  EXPECT_EQ(delivered(run, 2), 3000u);
  EXPECT_GT(delivered(run, 1), 500u);
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
  scenario.fabric.receivers[1].loss = 0.1;
  scenario.fabric.faults_end_ns = 50 * kMs;
  const Outcome run = run_checked(scenario);
  EXPECT_GT(run.seen.slow_consumer, 0u);
  EXPECT_EQ(delivered(run, 1), 1000u);
}

TEST(Scripted, peer_table_filled__expect_the_latecomer_refused_by_reason) {
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
  const Outcome run = run_checked(scenario);
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
