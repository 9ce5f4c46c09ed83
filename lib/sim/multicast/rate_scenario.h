// SPDX-License-Identifier: BSD-3-Clause
// Scenarios in which the agreement on rates is measured: one view of members alike, links of one
// latency.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

inline constexpr uint32_t kRateGroup = 1;  // to which all subscribe, and all publish

// By then the view has begun, and all have announced themselves. Before, each has a part of a third
// of the reserve for what it says.
[[nodiscard]] constexpr uint64_t rate_view_ns(size_t nodes) {
  return (nodes <= 32 ? 20 : 500) * uint64_t{1'000'000};
}
// And traffic has come to rest.
[[nodiscard]] constexpr uint64_t rate_load_ns(size_t nodes) {
  return rate_view_ns(nodes) + 5'000'000;
}

struct RateSurroundings {
  size_t nodes = 4;              // 3 .. wire::kMaxMembers
  uint64_t latency_ns = 5'000;   // one way
  uint64_t ack_ns = 5'000;       // the least time between two acknowledgements
  uint32_t window_pkts = 4'096;  // of each stream, at every receiver
};

// Timers of an appliance: signs of life have to fit the reserve of a view of many members. Statuses
// of 64 come 16 ms apart, and what each stream may send in between is its part of the hold: here
// that is its whole window. Traffic begins with the view, and has no messages yet.
[[nodiscard]] Scenario rate_scenario(const RateSurroundings& around,
                                     const rate_control::RateConfig& rate);

// All that the scenario measures has happened by `last_ns`.
void end_rate_scenario(Scenario& scenario, uint64_t last_ns);

// A message takes the headers of RoCE on IPv4 and of this protocol on the wire, and a CRC.
[[nodiscard]] uint64_t rate_frame_bytes(uint32_t message_bytes);

// `node` publishes messages of so many bytes at so many bits a second of the wire, until `end_ns`.
// Nodes begin one after the other within the first interval.
void publish_at(Scenario& scenario, size_t node, uint32_t message_bytes, uint64_t bps,
                uint64_t end_ns);

}  // namespace lambdacast::sim
