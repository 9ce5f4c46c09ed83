// SPDX-License-Identifier: BSD-3-Clause
// Packets that were followed through the stages, as a table: a row a step.
#pragma once

#include <vector>

#include "dpdk/clock.h"
#include "rack/packet_tracer.h"
#include "telemetry/figure.h"

namespace lambdacast::telemetry {

// Times are since the packet was first met. `clock` scales them.
[[nodiscard]] Table packet_lives(const std::vector<rack::PacketTracer::Life>& lives,
                                 const dpdk::TscClock& clock);

}  // namespace lambdacast::telemetry
