// SPDX-License-Identifier: BSD-3-Clause
// Scripted scenarios about views that cannot go on: most of their lives have ended, or are silent.
#include <set>
#include <tuple>

#include "scripted.h"

namespace lambdacast::sim {
namespace {

// All in one view, which publish at all levels of service, and come back when they are out.
Scenario members(size_t nodes) {
  Scenario scenario = quiet_scenario(nodes);
  scenario.membership.on = true;
  scenario.membership.return_after_ns = 100'000;
  for (NodeScenario& node : scenario.nodes) {
    node.subscribe = {kGroup};
    node.repair.retain_ns = 10'000 * kMs;
    node.traffic.messages = 2000;
    node.traffic.publish_to = {kGroup};
    node.traffic.start_ns = kMs;
    node.traffic.publish_every_ns = 20'000;
    node.traffic.ordered_weight = 1;
    node.traffic.total_weights = {1, 1, 1, 1};
  }
  scenario.fabric.faults_end_ns = 100 * kMs;
  scenario.epilogue_ns = 100 * kMs + settling_ns(scenario);
  scenario.end_ns = scenario.epilogue_ns + settling_ns(scenario);
  return scenario;
}

void crash(Scenario& scenario, size_t node, uint64_t at_ns, uint64_t back_ns = kNever) {
  scenario.actions.push_back({at_ns, node, Action::What::kCrash});
  if (back_ns != kNever) scenario.actions.push_back({back_ns, node, Action::What::kStart});
}

size_t first_views(const Outcome& run) {
  std::set<std::tuple<uint64_t, uint64_t, uint32_t>> views;
  for (const Told& told : run.log.told) {
    if (told.what != Told::What::kView) continue;
    const InstalledView& view = run.log.views[told.view];
    if (view.stayed == 0) views.insert({view.epoch, view.round, view.coordinator});
  }
  return views.size();
}
size_t excluded(const Outcome& run) {
  return static_cast<size_t>(
      std::count_if(run.log.told.begin(), run.log.told.end(),
                    [](const Told& told) { return told.what == Told::What::kExcluded; }));
}

TEST(Over, two_of_three_crash_and_come_back__expect_the_third_out_and_a_first_view_of_all) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Scenario scenario = members(3);
    crash(scenario, 1, 10 * kMs, 12 * kMs);
    crash(scenario, 2, 10 * kMs + 50'000 * seed, 13 * kMs);
    const Outcome run = run_checked(scenario, seed);
    EXPECT_EQ(first_views(run), 2u) << seed;
    EXPECT_EQ(excluded(run), 1u) << seed;
  }
}

// Nobody can know that the silent one will not be heard again.
TEST(Over, one_of_two_that_crashed_comes_back__expect_the_view_kept_for_the_other) {
  Scenario scenario = members(3);
  crash(scenario, 1, 10 * kMs, 12 * kMs);
  crash(scenario, 2, 10 * kMs);
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(first_views(run), 1u);
  EXPECT_EQ(excluded(run), 0u);
}

TEST(Over, two_of_three_stand_still_for_long__expect_one_view_of_all_afterwards) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Scenario scenario = members(3);
    pause(scenario, 1, 10 * kMs, 60 * kMs);
    pause(scenario, 2, 10 * kMs + 20'000 * seed, 60 * kMs);
    (void)run_checked(scenario, seed);
  }
}

// The part that is cut off hears the next lives of some of the others, who had gone on without it,
// and of all of them in the end.
TEST(Over, the_majority_goes_on_and_crashes_while_two_are_cut_off__expect_one_view_of_all) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Scenario scenario = members(5);
    for (const size_t from : {0, 1}) {
      for (const size_t to : {2, 3, 4}) {
        scenario.fabric.partitions.push_back({from, to, 10 * kMs, 50 * kMs});
        scenario.fabric.partitions.push_back({to, from, 10 * kMs, 50 * kMs});
      }
    }
    for (const size_t node : {2, 3, 4})
      crash(scenario, node, 40 * kMs + 20'000 * seed * node, 45 * kMs + 100'000 * seed * node);
    const Outcome run = run_checked(scenario, seed);
    EXPECT_EQ(first_views(run), 2u) << seed;
  }
}

// What needs no view goes on where a majority is missing, and reaches who is there.
TEST(Over, two_of_five_are_left__expect_source_order_to_go_on_between_them) {
  Scenario scenario = members(5);
  for (NodeScenario& node : scenario.nodes) {
    node.traffic.total_weights = {};
    node.traffic.messages = 4000;
    node.repair.transmit_window_pkts = node.repair.receive_window_pkts = 256;
  }
  for (const size_t node : {2, 3, 4}) crash(scenario, node, 10 * kMs);
  const Outcome run = run_checked(scenario);
  EXPECT_EQ(excluded(run), 0u);
  for (const size_t node : {0, 1}) {
    const auto got = std::count_if(run.log.told.begin(), run.log.told.end(), [&](const Told& told) {
      return told.is_message() && told.group == kGroup && told.receiver == node &&
             told.sender == 1 - node;
    });
    EXPECT_EQ(got, 4000) << node;
  }
}

}  // namespace
}  // namespace lambdacast::sim
