// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "busy_scenario.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {
namespace {

TEST(Recorder, one_message__expect_its_frame_arrivals_and_deliveries) {
  const Report report = Simulation(busy_scenario(1), 1).run();
  const Log& log = report.log;
  const Publication& message = log.publications[0];
  EXPECT_EQ(message.life, 0u);
  EXPECT_EQ(message.group, 7u);
  EXPECT_EQ(message.rel_seq, (uint64_t{1} << 32) - 2);
  EXPECT_EQ(message.sent_ns, 1'000'000u);
  EXPECT_EQ(message.transmissions, 1u);
  EXPECT_EQ(log.frames[0].publication, 0u);
  EXPECT_EQ(log.frames[0].frame_seq, (uint64_t{1} << 24) - 3);
  EXPECT_EQ(log.frames[0].rel_seq, message.rel_seq);
  size_t deliveries = 0;
  for (const Told& told : log.told) {
    if (told.publication != 0) continue;
    ++deliveries;
    EXPECT_FALSE(told.is_gap());
    EXPECT_EQ(told.sender, 0u);
    EXPECT_TRUE(told.intact);
    EXPECT_EQ(told.at_ns, 1'000'000 + FabricConfig{}.latency_ns * 2);
  }
  EXPECT_EQ(deliveries, 2u);
}

TEST(Recorder, joining__expect_admissions_and_welcomes_of_every_pair) {
  const Log log = Simulation(busy_scenario(0), 1).run().log;
  EXPECT_EQ(log.memberships.size(), 6u);
  EXPECT_EQ(log.welcomes.size(), 6u);
  for (const Membership& each : log.memberships) {
    EXPECT_EQ(each.what, reliability::ReceiverEvent::What::kJoined);
    EXPECT_EQ(each.position, log.lives[each.sender].first_rel_seq + 1);
    EXPECT_NE(each.receiver, kNobody);
  }
}

TEST(Recorder, everything_before_one_receiver_lost__expect_its_eviction_and_no_arrivals) {
  Scenario scenario = busy_scenario(50);
  scenario.fabric.partitions.push_back({0, 1, 900'000, kNever});
  scenario.epilogue_ns = 30'000'000;
  scenario.end_ns = 31'000'000;
  const Log log = Simulation(scenario, 1).run().log;
  for (const Arrival& arrival : log.arrivals) {
    EXPECT_FALSE(arrival.receiver == 1 && log.frames[arrival.frame].life == 0);
  }
  const auto evicted =
      std::find_if(log.memberships.begin(), log.memberships.end(), [](const Membership& each) {
        return each.sender == 0 && each.what == reliability::ReceiverEvent::What::kEvictedSilent;
      });
  ASSERT_NE(evicted, log.memberships.end());
  EXPECT_EQ(evicted->receiver, 1u);
  EXPECT_GE(evicted->silent_ns, 9'900'000u);
}

TEST(Recorder, trace__expect_a_line_for_what_happens) {
  Scenario scenario = busy_scenario(3);
  scenario.fabric.receivers[1].loss = 0.5;
  scenario.fabric.faults_end_ns = 2'000'000;
  Simulation simulation(scenario, 1);
  std::string all;
  simulation.set_trace([&](const std::string& line) { all += line + '\n'; });
  (void)simulation.run();
  for (const char* wanted :
       {"node 0/1 starts", "sends status", "sends heartbeat", "admits", "message 0 rel_seq",
        "lost before node 1", "delivers message 0", "1000000 ns  node 0/1 sends frame"}) {
    EXPECT_NE(all.find(wanted), std::string::npos) << wanted;
  }
}

}  // namespace
}  // namespace lambdacast::sim
