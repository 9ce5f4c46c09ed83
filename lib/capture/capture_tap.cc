// SPDX-License-Identifier: BSD-3-Clause
#include "capture/capture_tap.h"

#include <rte_ethdev.h>

#include <algorithm>
#include <cstring>

namespace lambdacast::capture {
namespace {

void copy_frame(const rte_mbuf* segment, uint32_t bytes, uint8_t* out) {
  for (; bytes != 0; segment = segment->next) {
    const uint32_t part = std::min<uint32_t>(bytes, rte_pktmbuf_data_len(segment));
    std::memcpy(out, rte_pktmbuf_mtod(segment, const uint8_t*), part);
    out += part;
    bytes -= part;
  }
}

}  // namespace

CaptureTap::CaptureTap(const dpdk::TscClock& clock, const std::vector<uint16_t>& ports,
                       size_t ring_bytes, uint32_t snap_bytes)
    : clock_(clock), snap_bytes_(snap_bytes), ring_(ring_bytes) {
  for (uint32_t i = 0; i < ports.size(); ++i) interface_of_[ports[i]] = i;
}

// The fence makes a writer that finds us idle have taken its time before we take ours (as both
// sides of Dekker's algorithm do).
uint64_t CaptureTap::begin() {
  busy_since_ns_.store(clock_.now_ns(), std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return clock_.now_ns();
}

uint64_t CaptureTap::nothing_before_ns(uint64_t now_ns) const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return std::min(now_ns, busy_since_ns_.load(std::memory_order_acquire));
}

bool CaptureTap::stage(CapturedFrame& frame, const rte_mbuf* m) {
  frame.original_bytes = rte_pktmbuf_pkt_len(m);
  frame.captured_bytes = std::min(frame.original_bytes, snap_bytes_);
  uint8_t* data = ring_.stage(frame);
  if (data == nullptr) return false;
  copy_frame(m, frame.captured_bytes, data);
  return true;
}

void CaptureTap::received(rte_mbuf* const* frames, uint32_t count) {
  CapturedFrame frame;
  frame.time_ns = begin();
  frame.direction = pcapng::Direction::kIn;
  for (uint32_t i = 0; i < count; ++i) {
    frame.interface = interface_of(frames[i]->port);
    if (!stage(frame, frames[i])) dropped_[frame.interface].add(1);
  }
  ring_.publish(ring_.staged());
  end();
}

uint16_t CaptureTap::transmit(uint16_t port, uint16_t queue, rte_mbuf** frames, uint16_t count) {
  CapturedFrame frame;
  frame.interface = interface_of(port);
  frame.time_ns = begin();
  frame.direction = pcapng::Direction::kOut;
  // Copied before they go: what the port takes it may free or overwrite at once. A frame that finds
  // no room leaves its place where the one before it has its own.
  const uint64_t before = ring_.staged();
  uint32_t lacking = 0;
  for (uint16_t i = 0; i < count; ++i) {
    if (!stage(frame, frames[i])) ++lacking;
    lacking_[i] = lacking;
    places_[i] = ring_.staged();
  }
  const uint16_t sent = rte_eth_tx_burst(port, queue, frames, count);
  ring_.publish(sent == 0 ? before : places_[sent - 1]);
  end();
  if (sent != 0) dropped_[frame.interface].add(lacking_[sent - 1]);
  return sent;
}

}  // namespace lambdacast::capture
