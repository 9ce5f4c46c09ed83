// SPDX-License-Identifier: BSD-3-Clause
// How repair behaves where everything about the losses is known: one sender, all other nodes
// receive, every packet is lost with the same probability, before each receiver on its own or at
// the transmitter for all alike. doc/decisions/0007-eight-receivers-ask-first.md has the bounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::sim {

struct RepairRun {
  size_t nodes = 4;  // 2 .. 64
  double loss = 0.001;
  bool at_transmitter = false;  // else before each receiver
  uint64_t messages = 20'000;   // source ordered, of 64 bytes
  uint64_t every_ns = 2'000;
  uint64_t latency_ns = 5'000;  // one way: half a round trip
  uint64_t seed = 1;
};

struct RepairFigures {
  uint64_t delivered = 0;  // of messages x (nodes - 1)
  uint64_t declared_lost = 0;
  uint64_t missed = 0;  // messages that at least one receiver missed at first
  // The time from the frame that revealed a gap to the repaired delivery, in round trips.
  double p50_rtt = 0;
  double p99_rtt = 0;
  double stall_rtt = 0;       // the longest time without a delivery at a receiver
  double nacks_per_loss = 0;  // frames, for each message missed
  double repairs_per_packet = 0;
  double expected_transmissions = 0;  // E[T] = sum over k >= 0 of (1 - (1 - p^k)^R)

  uint64_t messages = 0;
  // The bound by E[T], and three standard deviations of so many rare events.
  [[nodiscard]] double most_repairs_per_packet() const;
  [[nodiscard]] bool repairs_bounded() const {
    return repairs_per_packet <= most_repairs_per_packet();
  }
  [[nodiscard]] bool nacks_bounded() const { return nacks_per_loss <= 9; }
};

[[nodiscard]] double expected_transmissions(double loss, size_t receivers);

[[nodiscard]] RepairFigures measure_repair(const RepairRun& run,
                                           const EndpointFactory& factory = make_shipped_endpoint);

}  // namespace lambdacast::sim
