// SPDX-License-Identifier: BSD-3-Clause
// How long the levels of service take where nothing else counts: links of one latency, nothing
// lost, one sender that is not the sequencer of its group, all nodes members of one view. With a
// ring the token is passed by all of them.
// doc/decisions/0009-levels-are-thresholds.md has the bounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/multicast/sim_endpoint.h"
#include "wire/control/transport.h"

namespace lambdacast::sim {

struct OrderRun {
  size_t nodes = 4;  // 3 .. wire::kMaxMembers, all of one view
  wire::Qos level = wire::Qos::kTotallyOrdered;
  uint32_t path_mtu = 1'024;    // RoCE payload, bytes: 256, 512, 1024, 2048 or 4096
  uint64_t messages = 1'000;    // of 64 bytes
  uint64_t every_ns = 47'000;   // light load; no multiple of any timer
  uint64_t latency_ns = 5'000;  // one way
  uint64_t poll_ns = 200;       // the least time between two polls of a node
  uint64_t ack_ns = 5'000;      // the least time between two acknowledgements
  uint64_t suspect_after_ns = 10'000'000;
  uint32_t k = 1;
  uint64_t seed = 1;
  ordering::Order order = ordering::Order::kSequencer;  // or the ring, of all domains
  bool all_send = false;                                // each so many messages; none is timed then
  uint64_t rest_ns = 2'000'000;                         // without traffic, at the end
};

struct OrderFigures {
  uint64_t delivered = 0;  // at members that have neither sent it nor said what its place is
  uint64_t expected = 0;   // deliveries there if nothing is lost
  bool one_view = false;   // of all, with the sequencer where it was thought to be
  // The time from the acceptance of a message to its delivery there.
  uint64_t p50_ns = 0;
  uint64_t p99_ns = 0;
  // Frames with acknowledgements that a member sends in a millisecond of traffic; with those that
  // are mere heartbeats, before and after it too.
  double acks_per_ms = 0;
  double marks_per_message = 0;  // packets, of marks or passes
  // Those, marks and passes together, that a member sends in a millisecond of traffic.
  double control_per_ms = 0;
  double most_marks = 0;  // packets of marks or passes of the busiest member, in those of the mean
  uint64_t last_passes = 0;  // without items, behind the last one with items, until the end

  [[nodiscard]] bool sound() const { return one_view && delivered == expected; }
};

[[nodiscard]] OrderFigures measure_order(const OrderRun& run,
                                         const EndpointFactory& factory = make_shipped_endpoint);

}  // namespace lambdacast::sim
