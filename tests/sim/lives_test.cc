// SPDX-License-Identifier: BSD-3-Clause
// Scripted scenarios about lives: endpoints that restart, join late or all at once, leave, or are
// heard by some only.
#include "scripted.h"

namespace lambdacast::sim {
namespace {

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

TEST(Scripted, leave_in_order__expect_nobody_accused_and_the_window_free_at_once) {
  Scenario scenario = rack(4, 2000);
  scenario.actions.push_back({5 * kMs, 2, Action::What::kLeave});
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(run.seen.left, 3u);
  EXPECT_EQ(run.seen.evicted_silent, 0u);
  EXPECT_EQ(declared(run), 0u);
  EXPECT_EQ(run.window_closed, 0u);
  EXPECT_EQ(delivered(run, 1), 2000u);
}

TEST(Scripted, leave_in_order_and_come_back__expect_a_life_like_any_other) {
  Scenario scenario = rack(3, 2000);
  scenario.actions.push_back({5 * kMs, 2, Action::What::kLeave});
  scenario.actions.push_back({9 * kMs, 2, Action::What::kStart});
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(run.seen.left, 2u);
  EXPECT_EQ(run.seen.evicted_silent + run.seen.restarts, 0u);
  EXPECT_GT(delivered(run, 2), 1400u);
}

// One telling may be lost, and two: the third does.
TEST(Scripted, lose_the_last_words__expect_them_said_again) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Scenario scenario = rack(3, 200);
    scenario.fabric.receivers[0].loss = scenario.fabric.receivers[1].loss = 0.05;
    scenario.fabric.faults_end_ns = 50 * kMs;
    scenario.actions.push_back({5 * kMs, 2, Action::What::kLeave});
    EXPECT_EQ(run_checked(scenario, seed).seen.left, 2u) << seed;
  }
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

// --- more endpoints than places ------------------------------------------------------------------

// Node 0 sends and has places for 2 of the others. Node 1 lives all the time, the others one after
// the other: by their incarnations they might be one node's lives, for all have number 1.
constexpr uint64_t kMessagesALife = 800;

Scenario one_after_the_other(size_t nodes) {
  Scenario scenario = rack(nodes, kMessagesALife * (nodes - 2));
  scenario.nodes[0].max_peers = 2;
  for (size_t node = 2; node < nodes; ++node) {
    // suspect_after is 10 ms: a killed one is gone after 20.
    const uint64_t begin_ns = kMs / 2 + (node - 2) * 40 * kMs;
    scenario.actions[node].at_ns = begin_ns;
    const auto end = node % 2 == 0 ? Action::What::kCrash : Action::What::kLeave;
    if (node + 1 < nodes) scenario.actions.push_back({begin_ns + 15 * kMs, node, end});
  }
  Traffic& traffic = scenario.nodes[0].traffic;
  traffic.publish_every_ns = 50'000;
  scenario.epilogue_ns = (nodes - 2) * 40 * kMs + 60 * kMs;
  scenario.end_ns = scenario.epilogue_ns + 20 * kMs;
  return scenario;
}

TEST(Scripted, more_lives_than_places__expect_each_heard_and_whoever_lives_to_lose_nothing) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Scenario scenario = one_after_the_other(11);
    const Outcome run = run_checked(scenario, seed);
    EXPECT_EQ(delivered(run, 1), 9 * kMessagesALife);
    EXPECT_EQ(declared(run), 0u);
    for (size_t node = 2; node < scenario.nodes.size(); ++node)
      EXPECT_GT(delivered(run, node), 200u) << "node " << node << " was not admitted";
    const uint64_t refused = run.log.lives[0].counters.receive.drops[DropReason::kPeerTableFull];
    EXPECT_GE(refused, 8u);
    EXPECT_LT(refused, 300u) << "before a place was found, and no longer";
  }
}

TEST(Scripted, more_lives_than_places_amid_losses__expect_the_same) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Scenario scenario = one_after_the_other(7);
    for (ReceiverFaults& faults : scenario.fabric.receivers) {
      faults.loss = 0.05;
      faults.delay = 0.05;
      faults.max_delay_ns = 200'000;
    }
    scenario.fabric.faults_end_ns = scenario.epilogue_ns;
    const Outcome run = run_checked(scenario, seed);
    EXPECT_EQ(delivered(run, 1), 5 * kMessagesALife) << seed;
    for (size_t node = 2; node < scenario.nodes.size(); ++node)
      EXPECT_GT(delivered(run, node), 100u) << "node " << node << ", seed " << seed;
  }
}

// --- a fabric that knows whose lives have ended --------------------------------------------------

// All in one view, which publish at all levels of service.
Scenario view_of(size_t nodes) {
  Scenario scenario = quiet_scenario(nodes);
  scenario.membership.on = true;
  for (NodeScenario& node : scenario.nodes) {
    node.subscribe = {kGroup};
    node.repair.retain_ns = 10'000 * kMs;
    node.traffic.messages = 2000;
    node.traffic.publish_to = {kGroup};
    node.traffic.start_ns = kMs;
    node.traffic.publish_every_ns = 20'000;
    node.traffic.total_weights = {1, 1, 1, 1};
  }
  scenario.fabric.faults_end_ns = 60 * kMs;
  scenario.epilogue_ns = 60 * kMs + settling_ns(scenario);
  scenario.end_ns = scenario.epilogue_ns + settling_ns(scenario);
  return scenario;
}
void crash(Scenario& scenario, size_t node, uint64_t at_ns, uint64_t back_ns = kNever) {
  scenario.actions.push_back({at_ns, node, Action::What::kCrash});
  if (back_ns != kNever) scenario.actions.push_back({back_ns, node, Action::What::kStart});
}
// When the last of them was told of a view of so many, for the first time behind `since_ns`.
uint64_t view_told_ns(const Outcome& run, const std::vector<size_t>& nodes, size_t members,
                      uint64_t since_ns) {
  uint64_t last_ns = 0;
  for (const size_t node : nodes) {
    uint64_t first_ns = kNever;
    for (const Told& told : run.log.told) {
      if (told.what != Told::What::kView || told.at_ns < since_ns) continue;
      if (run.log.lives[told.receiver].node != node) continue;
      if (run.log.views[told.view].members.size() == members)
        first_ns = std::min(first_ns, told.at_ns);
    }
    last_ns = std::max(last_ns, first_ns);
  }
  return last_ns;
}
constexpr uint64_t kCrashNs = 20 * kMs;   // when all have been in a view for long
constexpr uint64_t kOneViewNs = 500'000;  // suspect_after is 10 ms

TEST(Deaths, all_are_told_at_once__expect_a_view_without_the_dead_long_before_suspicion) {
  for (const size_t dead : {0, 1, 3}) {
    Scenario scenario = view_of(4);
    for (NodeScenario& node : scenario.nodes) node.looks_after_ns = 1'000;
    crash(scenario, dead, kCrashNs);
    const Outcome run = run_checked(scenario);
    std::vector<size_t> others;
    for (size_t node = 0; node < 4; ++node) {
      if (node != dead) others.push_back(node);
    }
    EXPECT_EQ(run.log.buried.size(), 3u);
    EXPECT_LT(view_told_ns(run, others, 3, kCrashNs), kCrashNs + kOneViewNs) << dead;
  }
}

TEST(Deaths, the_coordinator_alone_is_told__expect_its_ballot_to_begin_at_once) {
  Scenario scenario = view_of(4);
  scenario.nodes[0].looks_after_ns = 1'000;
  crash(scenario, 2, kCrashNs);
  EXPECT_LT(view_told_ns(run_checked(scenario), {0, 1, 3}, 3, kCrashNs), kCrashNs + kOneViewNs);
}

// Another member's suspicion is an accusation, whatever it knows.
TEST(Deaths, a_member_alone_is_told__expect_the_coordinator_to_take_its_word) {
  Scenario scenario = view_of(4);
  scenario.nodes[3].looks_after_ns = 1'000;
  crash(scenario, 2, kCrashNs);
  EXPECT_LT(view_told_ns(run_checked(scenario), {0, 1, 3}, 3, kCrashNs), kCrashNs + kOneViewNs);
}

TEST(Deaths, some_are_told_late_and_others_never__expect_one_view_without_the_dead) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Scenario scenario = view_of(5);
    scenario.nodes[1].looks_after_ns = 300'000;
    scenario.nodes[3].looks_after_ns = 2 * kMs + seed * 700'000;
    crash(scenario, 0, kCrashNs);
    const Outcome run = run_checked(scenario, seed);
    EXPECT_EQ(run.log.buried.size(), 2u);
    EXPECT_LT(view_told_ns(run, {1, 2, 3, 4}, 4, kCrashNs), kCrashNs + 300'000 + kOneViewNs);
  }
}

TEST(Deaths, nobody_is_told__expect_suspicion_to_take_its_time) {
  Scenario scenario = view_of(4);
  crash(scenario, 2, kCrashNs);
  EXPECT_GT(view_told_ns(run_checked(scenario), {0, 1, 3}, 3, kCrashNs), kCrashNs + 9 * kMs);
}

TEST(Deaths, a_member_stands_still__expect_it_told_to_nobody_and_the_view_kept) {
  Scenario scenario = view_of(4);
  for (NodeScenario& node : scenario.nodes) node.looks_after_ns = 1'000;
  pause(scenario, 2, kCrashNs, kCrashNs + 8 * kMs);
  const Outcome run = run_checked(scenario);
  EXPECT_TRUE(run.log.buried.empty());
  EXPECT_EQ(view_told_ns(run, {0}, 3, kCrashNs), kNever);
}

// The node is back on its wavelength before anybody has looked: who is there proves who is not.
TEST(Deaths, another_life_begins_at_once__expect_the_earlier_one_out_and_the_new_one_in) {
  for (const uint64_t away_ns : {100, 5'000, 100'000}) {
    Scenario scenario = view_of(4);
    for (NodeScenario& node : scenario.nodes) node.looks_after_ns = 50'000;
    crash(scenario, 2, kCrashNs, kCrashNs + away_ns);
    const Outcome run = run_checked(scenario);
    for (const Buried& each : run.log.buried) EXPECT_EQ(run.log.lives[each.over].incarnation, 1u);
    EXPECT_GE(run.log.buried.size(), 3u) << away_ns;
    EXPECT_LT(view_told_ns(run, {0, 1, 3}, 3, kCrashNs), kCrashNs + 50'000 + kOneViewNs);
    EXPECT_LT(view_told_ns(run, {0, 1, 2, 3}, 4, kCrashNs), kCrashNs + 5 * kMs);
  }
}

// With half of the view gone for certain nothing can follow it: who is left need not wait for
// those who will not come back.
TEST(Deaths, most_of_a_view_dies_and_one_comes_back__expect_the_rest_out_of_it) {
  Scenario scenario = view_of(3);
  scenario.membership.return_after_ns = 100'000;
  scenario.membership.views.initial_nodes = 2;
  scenario.nodes[0].looks_after_ns = 1'000;
  crash(scenario, 1, kCrashNs, kCrashNs + 2 * kMs);
  crash(scenario, 2, kCrashNs);
  const Outcome run = run_checked(scenario);
  EXPECT_TRUE(std::any_of(run.log.told.begin(), run.log.told.end(),
                          [](const Told& told) { return told.what == Told::What::kExcluded; }));
}

}  // namespace
}  // namespace lambdacast::sim
