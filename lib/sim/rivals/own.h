// SPDX-License-Identifier: BSD-3-Clause
// The same measurements of the stages that ship, all nodes members of one view, each at a limit by
// hand.
#pragma once

#include <cstdint>

#include "ordering/ordering_config.h"
#include "sim/multicast/sim_endpoint.h"
#include "sim/rivals/load.h"
#include "wire/control/transport.h"

namespace lambdacast::sim::rivals {

struct OwnRun {
  LoadRun load;
  wire::Qos level = wire::Qos::kTotallyResilient;
  ordering::Order order = ordering::Order::kSequencer;  // or the ring, of all domains
  uint64_t ack_ns = 20'000;  // the least time between two acknowledgements
  // The limit, in fair shares of a receiver's line; of one sender alone that is the whole line.
  double of_share = 0.98;
  bool alone = false;  // one sends
  double loss = 0;     // of each copy of a frame
  uint64_t seed = 1;
};

[[nodiscard]] LoadFigures measure_own(const OwnRun& run,
                                      const EndpointFactory& factory = make_shipped_endpoint);

}  // namespace lambdacast::sim::rivals
