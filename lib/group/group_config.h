// SPDX-License-Identifier: BSD-3-Clause
// The operator's settings of named groups, and the bounds of their memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "group/directory.h"
#include "wire/control/control.h"

namespace lambdacast::group {

// Between two polls so much of a call's time passes at most (base/uptime_clock.h).
inline constexpr uint64_t kMostLivedAtOnceNs = 10'000'000;

// Calls of the endpoint, and what it does for those of others.
struct RequestsConfig {
  size_t calls = 1024;                      // of this endpoint, under way
  size_t tickets = 4096;                    // requests that it is to answer
  size_t answers_bytes = size_t{16} << 20;  // of what was said to callers outside the view
  size_t forwards = 256;                    // of their requests, on the way into the order; 0: none
  uint64_t timeout_ns = 1'000'000'000;      // of a call that says nothing else
  uint64_t retry_ns = 2'000'000;            // of a caller outside the view; doubles
};

struct GroupConfig {
  wire::StreamName self;
  size_t names = 16384;                   // of the directory, a power of two
  size_t handlers = 4096;                 // locks known to be held with which none is asked for
  size_t state_bytes = size_t{64} << 20;  // states coming in, and what waits for them
  size_t queue_bytes = size_t{16} << 20;  // events that a newcomer keeps until it is informed
  size_t packet_bytes = 1024;             // of a piece, at most what a packet has room for
  size_t completions = 4096;              // that wait, a power of two
  EngineFits fits;                        // of the fabric's domains
  size_t sessions = 256;                  // of callers outside the view, in each group
  RequestsConfig requests;
};

}  // namespace lambdacast::group
