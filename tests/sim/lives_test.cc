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

}  // namespace
}  // namespace lambdacast::sim
