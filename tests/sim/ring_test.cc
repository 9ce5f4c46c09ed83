// SPDX-License-Identifier: BSD-3-Clause
// Scripted scenarios about the token ring: what happens to a pass and to its site, row by row of
// doc/protocol.md, "The ring".
#include "ring_script.h"

namespace lambdacast::sim {
namespace {

[[nodiscard]] uint64_t refused(const Scenario& scenario) {
  Simulation simulation(scenario, 1);
  uint64_t refused = 0;
  simulation.at_end = [&](size_t, const SimEndpoint& endpoint) {
    refused += endpoint.node().view()->order().ring().counters.refused;
  };
  EXPECT_EQ(check_all(scenario, simulation.run().log), Violations{});
  return refused;
}

TEST(Ring, all_send__expect_one_order_each_marks_and_the_token_to_rest) {
  for (const auto order : {ordering::Order::kRing, ordering::Order::kMixed}) {
    Scenario scenario = ring(4, order);
    const Outcome run = run_checked(scenario);
    EXPECT_EQ(run.seen.view_changes, 0u);
    std::vector<size_t> made(4);
    for (const PassSent& pass : run.log.passes) ++made[run.log.lives[pass.life].node];
    EXPECT_LE(*std::ranges::max_element(made), *std::ranges::min_element(made) + 1);
    const auto late = [&](const PassSent& pass) {
      return pass.at_ns > 30 * kMs && pass.at_ns < scenario.epilogue_ns;
    };
    EXPECT_EQ(std::ranges::count_if(run.log.passes, late), 0) << "it rests";
    EXPECT_EQ(refused(scenario), 0u);
  }
}

TEST(Ring, site_dies_and_one_other_has_its_pass__expect_that_one_to_relay_it) {
  Scenario scenario = ring(5);
  const PassSent pass = find_pass(scenario);
  const size_t site = pass.life;  // the first lives are those of the nodes
  cut_off(scenario, site, (site + 2) % 5, pass.at_ns, 40'000);
  crash(scenario, site, pass.at_ns + 2'000);
  const Outcome run = run_checked(scenario);
  EXPECT_GT(run.seen.view_changes, 0u);
  EXPECT_EQ(run.seen.holes, 0u);
  const bool relayed = std::ranges::any_of(run.log.frames, [&](const SentFrame& frame) {
    return frame.life == pass.life && frame.rel_seq == pass.rel_seq && frame.relayed_by != kNobody;
  });
  EXPECT_TRUE(relayed);
}

TEST(Ring, site_and_the_next_one_die_with_their_passes__expect_a_hole_and_one_order) {
  EXPECT_EQ(run_checked(hole()).seen.holes, 3u) << "at each who goes on";
}

TEST(Ring, pass_lost_before_the_next_site__expect_it_repaired_and_no_view_changed) {
  Scenario scenario = ring(4);
  const PassSent pass = find_pass(scenario);
  const size_t next = (pass.life + 1) % 4;
  scenario.fabric.partitions.push_back({pass.life, next, pass.at_ns - 500, pass.at_ns + 500});
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(run.seen.view_changes, 0u);
  const bool again = std::ranges::any_of(run.log.frames, [&](const SentFrame& frame) {
    return frame.life == pass.life && frame.rel_seq == pass.rel_seq && frame.repair;
  });
  EXPECT_TRUE(again);
}

TEST(Ring, next_site_lacks_content__expect_all_to_wait_while_it_repairs) {
  Scenario scenario = ring(4);
  // An item of who makes neither this pass nor the next one.
  const auto item_of = [](const PassSent& pass) {
    return std::ranges::find_if(pass.items, [&](const PassSent::Item& item) {
      return item.rank != pass.life && item.rank != (pass.life + 1) % 4;
    });
  };
  const PassSent pass = find_pass(scenario, [&](const Log&, const PassSent& each) {
    return item_of(each) != each.items.end();
  });
  const uint16_t sender = item_of(pass)->rank;
  // Its content went a hop before it.
  scenario.fabric.partitions.push_back(
      {sender, (pass.life + 1) % 4, pass.at_ns - 4 * kHopNs, pass.at_ns});
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(run.seen.view_changes, 0u);
  EXPECT_GT(run.seen.repairs, 0u);
}

TEST(Ring, passes_come_twice_and_late__expect_none_refused) {
  Scenario scenario = ring(4);
  for (ReceiverFaults& faults : scenario.fabric.receivers) {
    faults.duplication = 0.5;
    faults.delay = 0.3;
    faults.max_delay_ns = 30'000;
    faults.loss = 0.05;
  }
  EXPECT_EQ(refused(scenario), 0u);
}

TEST(Ring, site_is_paused_as_the_view_changes__expect_it_let_out_and_the_ring_to_go_on) {
  Scenario scenario = ring(5);
  const PassSent pass = find_pass(scenario);
  crash(scenario, (pass.life + 2) % 5, pass.at_ns);
  pause(scenario, (pass.life + 1) % 5, pass.at_ns + 9 * kMs, pass.at_ns + 35 * kMs);
  scenario.fabric.faults_end_ns = 60 * kMs;
  scenario.epilogue_ns = 120 * kMs;
  scenario.end_ns = 160 * kMs;
  const Outcome run = run_checked(scenario);
  EXPECT_GT(run.seen.view_changes, 0u);
}

}  // namespace
}  // namespace lambdacast::sim
