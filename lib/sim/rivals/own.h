// SPDX-License-Identifier: BSD-3-Clause
// The same measurements of the stages that ship, all nodes members of one view, each at a limit by
// hand of 0.98 of its fair share of a receiver's line.
#pragma once

#include <cstdint>

#include "sim/multicast/sim_endpoint.h"
#include "sim/rivals/load.h"
#include "wire/control/transport.h"

namespace lambdacast::sim::rivals {

struct OwnRun {
  LoadRun load;
  wire::Qos level = wire::Qos::kTotallyResilient;
  uint64_t ack_ns = 20'000;  // the least time between two acknowledgements
  double of_share = 0.98;
  uint64_t seed = 1;
};

[[nodiscard]] LoadFigures measure_own(const OwnRun& run,
                                      const EndpointFactory& factory = make_shipped_endpoint);

}  // namespace lambdacast::sim::rivals
