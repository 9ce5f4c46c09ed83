// SPDX-License-Identifier: BSD-3-Clause
// How long locks and calls take where nothing else counts: links of one latency, nothing lost, all
// nodes members of one view, all but the caller members of one group. The holder of its lock is not
// the sequencer, and the caller neither. The caller calls at majority, in turn as a member of the
// view and as an endpoint outside would: by a session, through an entry.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ordering/ordering_config.h"
#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::sim {

struct CallRun {
  size_t nodes = 4;             // 4 .. wire::kMaxMembers
  uint64_t calls = 200;         // of each kind, and grants
  uint64_t latency_ns = 5'000;  // one way
  uint64_t ack_ns = 5'000;      // the least time between two acknowledgements
  uint64_t seed = 1;
  ordering::Order order = ordering::Order::kSequencer;  // or the ring, of all domains
};

struct CallFigures {
  uint64_t grants = 0;   // of a free lock, until its holder was told
  uint64_t inside = 0;   // calls answered by the holder
  uint64_t outside = 0;  // the same by a session
  uint64_t grant_p50_ns = 0;
  uint64_t inside_p50_ns = 0;
  uint64_t outside_p50_ns = 0;
};

[[nodiscard]] CallFigures measure_calls(const CallRun& run,
                                        const EndpointFactory& factory = make_shipped_endpoint);

}  // namespace lambdacast::sim
