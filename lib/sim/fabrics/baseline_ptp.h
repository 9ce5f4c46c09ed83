// SPDX-License-Identifier: BSD-3-Clause
// IEEE 1588-2019 as a baseline: the best master clock algorithm of its section 9.3 over announce
// messages, and waves of time down the tree that it makes. What the standard leaves to a profile is
// as FRANCIS has it: an announce interval of 64 bytes at 10 Mb/s, and waves as Sundial's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fabrics/clock_run.h"

namespace lambdacast::sim::fabrics {

enum class PtpPortState : uint8_t { kMaster, kSlave, kPassive };
struct PtpPlace {
  congest::NodeId grandmaster = 0;
  uint16_t steps = 0;  // from it
  std::vector<PtpPortState> ports;
};
struct PtpStates {
  std::vector<PtpPlace> places;  // by node; a switch that has failed keeps its last
  std::string wrong;             // why these are no trees of what is alive; empty: they are
};
// The decisions of the switches once they have settled behind the failures of the scenario.
[[nodiscard]] PtpStates ptp_states(const Fabric& fabric, const ClockTree& tree,
                                   const ClockScenario& scenario);

// The root of `tree` has the best priority, and the others follow by their numbers. The run has no
// fast recovery: `fast_ns` is `full_ns`.
[[nodiscard]] ClockRun run_ptp(const Fabric& fabric, const ClockTree& tree,
                               const ClockScenario& scenario);

}  // namespace lambdacast::sim::fabrics
