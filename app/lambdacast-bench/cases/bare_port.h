// SPDX-License-Identifier: BSD-3-Clause
// The bare ports: frames of the same length over the same two ports on the same two lcores,
// straight through rte_eth_tx_burst and rte_eth_rx_burst in loops that do nothing else. What they
// take is the fabric's own share of a latency. An endpoint's stages stand still meanwhile.
#pragma once

#include <rte_mbuf.h>

#include <atomic>
#include <cstdint>

#include "base/counter.h"
#include "latency_recorder.h"
#include "rack/endpoint.h"

namespace lambdacast::bench {

// Both ends run from when they are told to until control says that it is over.
struct BareSlice {
  Schedule schedule;
  std::atomic<bool> over{false};
};

class BarePort {
 public:
  // The port must not be polled by anything else while one of the loops runs.
  BarePort(rack::Endpoint& endpoint, size_t frame_bytes);

  // Sends by the schedule. answers: records what comes back; or null, and nothing is received.
  void send(const BareSlice& slice, LatencyRecorder* answers);
  // Records what comes in, or sends it back if recorder is null.
  void receive(const BareSlice& slice, LatencyRecorder* recorder);

  [[nodiscard]] uint64_t sent() const { return sent_.get(); }  // in all; from any thread

 private:
  [[nodiscard]] rte_mbuf* make_frame();
  void record_burst(LatencyRecorder& recorder);
  void answer_burst();

  static constexpr uint16_t kBurst = 32;

  uint16_t port_;
  rte_mempool* pool_;
  uint16_t frame_bytes_;
  uint8_t header_[14];
  base::Counter sent_;
};

}  // namespace lambdacast::bench
