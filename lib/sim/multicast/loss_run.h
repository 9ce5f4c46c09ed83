// SPDX-License-Identifier: BSD-3-Clause
// Measures what losses cost totally ordered messages while members send near their shares: repairs
// are charged to the share of their sender, and what they push away waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::sim {

struct LossRun {
  size_t nodes = 4;                        // 3 .. wire::kMaxMembers, all of one view, all sending
  double loss = 0;                         // of each copy, in [0, 1)
  double load = 0.9;                       // in parts of a share
  uint64_t capacity_bps = 10'000'000'000;  // of each receiver
  uint64_t latency_ns = 5'000;             // one way
  uint64_t ack_ns = 5'000;                 // the least time between two acknowledgements
  uint32_t message_bytes = 4'048;
  uint64_t duration_ns = 100'000'000;
  uint64_t seed = 1;
};

struct LossFigures {
  bool one_view = false;
  uint64_t accepted = 0;
  uint64_t returned = 0;  // delivered to whoever sent them
  uint64_t repairs = 0;
  // From the acceptance of a message to its delivery at its sender, in total order.
  uint64_t p50_ns = 0;
  uint64_t p99_ns = 0;

  [[nodiscard]] bool sound() const { return one_view && accepted != 0 && returned == accepted; }
};

[[nodiscard]] LossFigures measure_loss(const LossRun& run,
                                       const EndpointFactory& factory = make_shipped_endpoint);

}  // namespace lambdacast::sim
