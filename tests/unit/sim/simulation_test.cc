#include "sim/simulation.h"

#include <gtest/gtest.h>

#include "small_scenario.h"

namespace lambdacast::sim {
namespace {

using counters::DropReason;

TEST(Simulation, run_without_faults__expect_every_message_at_every_other_node) {
  const Report report = Simulation(small_scenario(10), 1).run();
  EXPECT_EQ(report.log.sent.size(), 10u);
  EXPECT_EQ(report.log.arrivals.size(), 20u);
  for (const Arrival& arrival : report.log.arrivals) {
    EXPECT_EQ(arrival.outcome, DropReason::kNone);
    EXPECT_EQ(arrival.claimed_sender, 0u);
    EXPECT_EQ(arrival.content, report.log.sent[arrival.frame].content);
  }
  EXPECT_EQ(report.nodes[0].sent_packets, 10u);
  EXPECT_EQ(report.nodes[0].psn_wraps, 1u);
  EXPECT_EQ(report.nodes[1].streams[0]->psn_wraps, 1u);
  EXPECT_FALSE(report.nodes[1].streams[2].has_value());
  EXPECT_EQ(report.end_ns, 10 * 1000u);  // ten a microsecond apart, and the latency
}

TEST(Simulation, run_paced__expect_the_rate_to_hold_the_publisher_back) {
  Scenario scenario = small_scenario(10);
  scenario.nodes[0].batch_packets = 10;
  scenario.nodes[0].pacer = {1'000'000, 4};
  const Report report = Simulation(scenario, 1).run();
  EXPECT_EQ(report.log.sent[3].at_ns, 0u);
  EXPECT_EQ(report.log.sent[4].at_ns, 1000u);
  EXPECT_EQ(report.log.sent[9].at_ns, 6000u);
}

TEST(Simulation, run_twice_with_one_seed__expect_one_trace) {
  Scenario scenario = small_scenario(100);
  scenario.fabric.receivers[1].loss = 0.2;
  const Report report = Simulation(scenario, 5).run();
  EXPECT_EQ(report.trace_hash, Simulation(scenario, 5).run().trace_hash);
  EXPECT_NE(report.trace_hash, Simulation(scenario, 6).run().trace_hash);
}

TEST(Simulation, run_with_another_endpoint__expect_the_factory_asked_for_each_node) {
  size_t made = 0;
  (void)Simulation(small_scenario(1), 1, [&](size_t node, const auto& config) {
    EXPECT_EQ(node, made);
    ++made;
    return make_shipped_endpoint(node, config);
  }).run();
  EXPECT_EQ(made, 3u);
}

}  // namespace
}  // namespace lambdacast::sim
