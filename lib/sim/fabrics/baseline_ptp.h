// SPDX-License-Identifier: BSD-3-Clause
// IEEE 1588-2019 as a baseline: the best master clock algorithm of its section 9.3 over announce
// messages, and waves of time down the tree that it makes. What the standard leaves to a profile is
// as FRANCIS has it: an announce interval of 64 bytes at 10 Mb/s, and waves as Sundial's.
#pragma once

#include "sim/fabrics/clock_run.h"

namespace lambdacast::sim::fabrics {

// The root of `tree` has the best priority, and the others follow by their numbers. The run has no
// fast recovery: `fast_ns` is `full_ns`.
[[nodiscard]] ClockRun run_ptp(const Fabric& fabric, const ClockTree& tree,
                               const ClockScenario& scenario);

}  // namespace lambdacast::sim::fabrics
