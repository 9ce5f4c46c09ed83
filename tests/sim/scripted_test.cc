// Scenarios written by hand, one question each. What is asserted beside the checkers is what makes
// the scenario worth its name: that the fault in question really struck.

#include <gtest/gtest.h>

#include "sim/checkers.h"
#include "sim/truth.h"

namespace lambdacast::sim {
namespace {

using counters::DropReason;

Scenario rack(size_t nodes, uint64_t messages, uint64_t first_frame_seq = 0) {
  Scenario scenario;
  scenario.nodes.resize(nodes);
  scenario.fabric.receivers.resize(nodes);
  for (NodeScenario& node : scenario.nodes) {
    node.messages = messages;
    node.first_frame_seq = first_frame_seq;
    node.publish_to = {1, 2};
    node.subscribe = {1, 2};
  }
  return scenario;
}

Report run_checked(const Scenario& scenario, uint64_t seed = 1) {
  Report report = Simulation(scenario, seed).run();
  EXPECT_EQ(check_all(scenario, report), Violations{});
  return report;
}

uint64_t delivered(const Report& report) {
  uint64_t count = 0;
  for (const NodeReport& node : report.nodes) count += node.counters.ordering.forwarded;
  return count;
}

TEST(Scripted, all_send_without_faults__expect_everything_delivered) {
  for (const uint64_t start : {uint64_t{0}, (uint64_t{1} << 24) - 100, (uint64_t{1} << 32) - 100,
                               (uint64_t{1} << 63) - 100}) {
    const Report report = run_checked(rack(4, 200, start));
    EXPECT_EQ(delivered(report), 4 * 200 * 3u);
    EXPECT_EQ(report.nodes[2].streams[1]->psn_wraps, start == 0 ? 0u : 1u);
  }
}

TEST(Scripted, loss_at_one_receiver__expect_it_to_be_the_only_place) {
  Scenario scenario = rack(4, 500);
  scenario.fabric.receivers[2].loss = 0.1;
  const Report report = run_checked(scenario);
  for (size_t sender = 0; sender < 4; ++sender) {
    for (size_t receiver = 0; receiver < 4; ++receiver) {
      if (receiver == sender) continue;
      const uint64_t missing = report.nodes[receiver].streams[sender]->current.missing;
      EXPECT_EQ(missing != 0, receiver == 2);
    }
  }
}

TEST(Scripted, loss_at_a_transmitter__expect_the_same_missing_at_all_receivers) {
  Scenario scenario = rack(4, 0);
  scenario.nodes[0].messages = 1000;
  scenario.fabric.transmitter_loss = 0.05;
  const Report report = run_checked(scenario);
  const uint64_t missing = report.nodes[1].streams[0]->current.missing;
  EXPECT_GT(missing, 20u);
  EXPECT_EQ(report.nodes[2].streams[0]->current.missing, missing);
  EXPECT_EQ(report.nodes[3].streams[0]->current.missing, missing);
}

TEST(Scripted, everything_lost__expect_the_sender_unknown_and_no_violation) {
  Scenario scenario = rack(2, 50);
  scenario.fabric.receivers[1].loss = 1;
  const Report report = run_checked(scenario);
  EXPECT_FALSE(report.nodes[1].streams[0].has_value());
  EXPECT_EQ(derive_truth(scenario, report).pairs[0][1].lost_at_receiver, 50u);
}

TEST(Scripted, every_copy_twice__expect_each_second_one_refused) {
  Scenario scenario = rack(3, 100);
  for (ReceiverFaults& faults : scenario.fabric.receivers) faults.duplication = 1;
  const Report report = run_checked(scenario);
  EXPECT_EQ(delivered(report), 600u);
  EXPECT_EQ(report.nodes[0].counters.reliability.drops[DropReason::kDuplicate], 200u);
}

TEST(Scripted, heavy_corruption__expect_no_damaged_delivery) {
  Scenario scenario = rack(3, 1000);
  scenario.fabric.receivers[1].corruption = 0.5;
  const Report report = run_checked(scenario);
  EXPECT_GT(report.nodes[1].counters.receive.drops[DropReason::kBadIcrc], 500u);
  EXPECT_EQ(report.nodes[0].counters.receive.drops.total(), 0u);
}

TEST(Scripted, reordering_within_the_window__expect_late_frames_and_no_loss) {
  Scenario scenario = rack(3, 1000);
  for (ReceiverFaults& faults : scenario.fabric.receivers) {
    faults.delay = 0.3;
    faults.max_delay_ns = 100'000;  // 100 frames
  }
  const Report report = run_checked(scenario);
  EXPECT_EQ(delivered(report), 6000u);
  EXPECT_GT(report.nodes[0].streams[1]->current.late, 100u);
}

TEST(Scripted, delay_beyond_the_window__expect_too_old_and_missing) {
  Scenario scenario = rack(2, 6000);
  scenario.fabric.receivers[1].delay = 0.02;
  scenario.fabric.receivers[1].max_delay_ns = 4'000'000;
  const Report report = run_checked(scenario);
  const uint64_t too_old = report.nodes[1].streams[0]->current.too_old;
  EXPECT_GT(too_old, 10u);
  EXPECT_EQ(report.nodes[1].streams[0]->current.missing, too_old);
}

TEST(Scripted, more_senders_than_places__expect_the_latecomers_refused_by_reason) {
  Scenario scenario = rack(5, 100);
  scenario.nodes[0].max_peers = 2;
  const Report report = run_checked(scenario);
  EXPECT_EQ(report.nodes[0].counters.receive.drops[DropReason::kPeerTableFull], 200u);
  EXPECT_EQ(report.nodes[0].counters.ordering.forwarded, 200u);
}

TEST(Scripted, foreign_groups__expect_them_to_leave_no_gap) {
  Scenario scenario = rack(3, 100);
  scenario.nodes[1].subscribe = {2};
  const Report report = run_checked(scenario);
  EXPECT_EQ(report.nodes[1].counters.ordering.drops[DropReason::kNotSubscribed], 100u);
  EXPECT_EQ(report.nodes[1].streams[0]->current.missing, 0u);
}

TEST(Scripted, echoing_fabric__expect_own_frames_refused_and_nothing_else) {
  Scenario scenario = rack(3, 100);
  scenario.fabric.echo = true;
  const Report report = run_checked(scenario);
  for (const NodeReport& node : report.nodes) {
    EXPECT_EQ(node.counters.receive.drops[DropReason::kOwnFrame], 100u);
  }
}

TEST(Scripted, ipv6_and_the_longest_messages__expect_everything_delivered) {
  Scenario scenario = rack(3, 50);
  scenario.ipv6 = true;
  scenario.path_mtu = 4096;
  for (NodeScenario& node : scenario.nodes) {
    node.min_message_bytes = node.max_message_bytes = 4096 - wire::kTransportHeaderBytes;
  }
  EXPECT_EQ(delivered(run_checked(scenario)), 300u);
}

}  // namespace
}  // namespace lambdacast::sim
