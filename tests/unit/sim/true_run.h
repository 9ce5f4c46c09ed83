// SPDX-License-Identifier: BSD-3-Clause
// A run with losses, repairs, an eviction for silence and a crash, in which everything is right;
// the tests of the checkers falsify one thing of its log at a time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "busy_scenario.h"
#include "sim/check/checkers.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

class TrueRun : public ::testing::Test {
 protected:
  // `parts`: with messages of several packets.
  static Scenario make(bool parts) {
    Scenario scenario = busy_scenario(200, 4);
    scenario.nodes[0].traffic.publish_every_ns = 100'000;
    scenario.nodes[0].traffic.unreliable_weight = 1;
    scenario.nodes[0].traffic.reliable_weight = 1;
    scenario.nodes[0].traffic.long_one_in = parts ? 3 : 0;
    scenario.nodes[0].traffic.long_from = wire::Qos::kReliable;
    scenario.fabric.receivers[2].loss = 0.1;
    scenario.fabric.faults_end_ns = 25'000'000;
    scenario.fabric.partitions.push_back({1, 0, 3'000'000, 16'000'000});
    scenario.actions.push_back({7'000'000, 3, Action::What::kCrash});
    scenario.epilogue_ns = 40'000'000;
    scenario.end_ns = 50'000'000;
    return scenario;
  }
  explicit TrueRun(bool parts = false)
      : scenario_(make(parts)), log_(Simulation(scenario_, 3).run().log) {}

  // The first thing told to `receiver` that fits.
  template <typename Predicate>
  Told& told(uint32_t receiver, Predicate&& fits) {
    return *std::find_if(log_.told.begin(), log_.told.end(), [&](const Told& each) {
      return each.receiver == receiver && each.sender == 0 && fits(each);
    });
  }
  Told& delivery(uint32_t receiver, wire::Qos qos = wire::Qos::kSourceOrdered) {
    return told(receiver, [&](const Told& each) { return each.is_message() && each.qos == qos; });
  }
  void forget(const Told& each) { log_.told.erase(log_.told.begin() + (&each - log_.told.data())); }

  Scenario scenario_;
  Log log_;
};

}  // namespace lambdacast::sim
