// SPDX-License-Identifier: BSD-3-Clause
// Where a capture listens: one tap a stage that receives or transmits, on that stage's lcore. It
// copies frames into a ring of its own, counts those the ring has no room for, and never waits.
#pragma once

#include <rte_config.h>
#include <rte_mbuf.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/cacheline.h"
#include "base/counter.h"
#include "capture/capture_ring.h"
#include "dpdk/clock.h"
#include "dpdk/packet.h"
#include "dpdk/port_tap.h"
#include "node/env.h"

namespace lambdacast::capture {

class CaptureTap final : public dpdk::PortTap {
 public:
  // The interface of a port is its place in `ports`, the same list for all taps of a capture.
  // snap_bytes: of each frame at most.
  CaptureTap(const dpdk::TscClock& clock, const std::vector<uint16_t>& ports, size_t ring_bytes,
             uint32_t snap_bytes);
  [[nodiscard]] bool valid() const { return ring_.valid(); }
  // Adds another port of that interface. Must be called before the tap is used.
  void add_port(uint16_t port, uint32_t interface) { interface_of_[port] = interface; }

  // --- the stage's lcore ----------------------------------------------------------------------
  // Frames as the ports gave them; a frame's mbuf says which port it came from.
  void received(rte_mbuf* const* frames, uint32_t count) override;
  // rte_eth_tx_burst, with a copy of what the port takes: a frame it refuses will be offered again.
  [[nodiscard]] uint16_t transmit(uint16_t port, uint16_t queue, rte_mbuf** frames,
                                  uint16_t count) override;

  // --- the writer -----------------------------------------------------------------------------
  // No frame with an earlier time than this is to come, nor than `now_ns`, a time taken before the
  // call. What the ring has published by then is everything before that time.
  [[nodiscard]] uint64_t nothing_before_ns(uint64_t now_ns) const;
  [[nodiscard]] CaptureRing& ring() { return ring_; }

  // --- anybody --------------------------------------------------------------------------------
  // Frames that the ring had no room for.
  [[nodiscard]] uint64_t dropped(uint32_t interface) const { return dropped_[interface].get(); }

 private:
  static constexpr uint64_t kIdle = ~uint64_t{0};

  [[nodiscard]] uint32_t interface_of(uint16_t port) const {
    return port < interface_of_.size() ? interface_of_[port] : 0;
  }
  [[nodiscard]] uint64_t begin();
  void end() { busy_since_ns_.store(kIdle, std::memory_order_release); }
  // Copies a frame, whose time, interface and direction are given; false: no room.
  [[nodiscard]] bool stage(CapturedFrame& frame, const rte_mbuf* m);

  const dpdk::TscClock& clock_;
  const uint32_t snap_bytes_;
  std::array<uint32_t, RTE_MAX_ETHPORTS> interface_of_{};
  CaptureRing ring_;
  // For each frame of the burst being sent, the place behind it and how many found no room so far.
  std::array<uint64_t, node::kMaxBurst> places_{};
  std::array<uint32_t, node::kMaxBurst> lacking_{};
  std::array<base::Counter, RTE_MAX_ETHPORTS> dropped_;
  alignas(base::kCacheLinePairBytes) std::atomic<uint64_t> busy_since_ns_{kIdle};
};

}  // namespace lambdacast::capture
