// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/simulation.h"

#include <gtest/gtest.h>

#include "busy_scenario.h"
#include "sim/check/checkers.h"

namespace lambdacast::sim {
namespace {

TEST(Simulation, run_without_faults__expect_every_message_at_every_other_node) {
  const Scenario scenario = busy_scenario(10);
  const Report report = Simulation(scenario, 1).run();
  const Log& log = report.log;
  EXPECT_EQ(check_all(scenario, log), Violations{});
  EXPECT_EQ(log.publications.size(), 10u + 3 * kEpilogueMessages);
  EXPECT_EQ(log.told.size(), 2 * log.publications.size());
  EXPECT_EQ(log.lives.size(), 3u);
  EXPECT_EQ(log.nack_frames.size(), 0u);
  EXPECT_EQ(log.copies_lost, 0u);
  for (const Life& life : log.lives) {
    EXPECT_TRUE(life.finished);
    EXPECT_TRUE(life.flushed);
  }
}

TEST(Simulation, run_paced__expect_the_rate_to_hold_the_publisher_back) {
  Scenario scenario = busy_scenario(10);
  scenario.nodes[0].traffic.batch_packets = 10;
  scenario.nodes[0].pacer = {1'000'000, 4};
  const Report report = Simulation(scenario, 1).run();
  const uint64_t start_ns = report.log.publications[0].sent_ns;
  EXPECT_EQ(report.log.publications[3].sent_ns, start_ns);
  EXPECT_NEAR(static_cast<double>(report.log.publications[9].sent_ns - start_ns), 6'000, 100);
}

// Node 1 stands still from 1 to 3 ms, as the messages come.
Scenario paused_scenario() {
  Scenario scenario = busy_scenario(100);
  scenario.actions.push_back({1'000'000, 1, Action::What::kPause});
  scenario.actions.push_back({3'000'000, 1, Action::What::kResume});
  return scenario;
}

TEST(Simulation, pause__expect_silence_and_frames_waiting_in_the_ring) {
  Scenario scenario = paused_scenario();
  scenario.nodes[1].ring_frames = 20;
  const Report report = Simulation(scenario, 1).run();
  EXPECT_EQ(check_all(scenario, report.log), Violations{});
  EXPECT_GT(report.log.ring_losses, 50u);
  for (const Told& told : report.log.told) {
    if (told.receiver == 1) {
      EXPECT_TRUE(told.at_ns < 1'000'000 || told.at_ns >= 3'000'000);
    }
  }
}

TEST(Simulation, bursts_in_the_ring__expect_them_judged_a_run_at_a_time_and_all_delivered) {
  const Scenario scenario = paused_scenario();
  const Report report = Simulation(scenario, 1).run();
  EXPECT_EQ(check_all(scenario, report.log), Violations{});
  EXPECT_GT(report.log.lives[1].in_runs, 50u);
  EXPECT_EQ(report.log.lives[2].in_runs, 0u);  // polled at each frame
}

// A short ring is a fault like others.
TEST(Simulation, pause_after_the_faults__expect_everything_in_the_ring) {
  Scenario scenario = paused_scenario();
  scenario.nodes[1].ring_frames = 20;
  scenario.fabric.faults_end_ns = 1'000'000;
  EXPECT_EQ(Simulation(scenario, 1).run().log.ring_losses, 0u);
}

TEST(Simulation, crash_and_start__expect_another_life) {
  Scenario scenario = busy_scenario(0);
  scenario.actions.push_back({1'000'000, 1, Action::What::kCrash});
  scenario.actions.push_back({1'500'000, 1, Action::What::kStart});
  const Report report = Simulation(scenario, 1).run();
  EXPECT_EQ(check_all(scenario, report.log), Violations{});
  ASSERT_EQ(report.log.lives.size(), 4u);
  EXPECT_EQ(report.log.lives[1].died_ns, 1'000'000u);
  EXPECT_EQ(report.log.lives[3].node, 1u);
  EXPECT_EQ(report.log.lives[3].incarnation, report.log.lives[1].incarnation + 1);
}

TEST(Simulation, run_twice_with_one_seed__expect_one_trace) {
  Scenario scenario = busy_scenario(100);
  scenario.fabric.receivers[1].loss = 0.2;
  const Report report = Simulation(scenario, 5).run();
  EXPECT_EQ(report.trace_hash, Simulation(scenario, 5).run().trace_hash);
  EXPECT_NE(report.trace_hash, Simulation(scenario, 6).run().trace_hash);
}

TEST(Simulation, run_with_another_endpoint__expect_the_factory_asked_for_each_node) {
  size_t made = 0;
  (void)Simulation(
      busy_scenario(1), 1,
      [&](size_t node, const auto& config, const auto& scenario, auto around, auto& host) {
        EXPECT_EQ(node, made);
        ++made;
        return make_shipped_endpoint(node, config, scenario, around, host);
      })
      .run();
  EXPECT_EQ(made, 3u);
}

}  // namespace
}  // namespace lambdacast::sim
