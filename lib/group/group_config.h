// SPDX-License-Identifier: BSD-3-Clause
// The operator's settings of named groups, and the bounds of their memory.
#pragma once

#include <cstddef>

#include "wire/control/control.h"

namespace lambdacast::group {

struct GroupConfig {
  wire::StreamName self;
  size_t names = 16384;                   // of the directory, a power of two
  size_t handlers = 4096;                 // locks known to be held with which none is asked for
  size_t state_bytes = size_t{64} << 20;  // states coming in, and what waits for them
  size_t queue_bytes = size_t{16} << 20;  // events that a newcomer keeps until it is informed
  size_t packet_bytes = 1024;             // of a piece, at most what a packet has room for
  size_t completions = 4096;              // that wait, a power of two
  size_t calls = 1024;                    // of this endpoint, under way
  size_t tickets = 4096;                  // requests that it is to answer
  uint64_t timeout_ns = 1'000'000'000;    // of a call that says nothing else
};

}  // namespace lambdacast::group
