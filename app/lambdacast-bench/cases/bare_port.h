// SPDX-License-Identifier: BSD-3-Clause
// The bare ports: frames of the same length over the same two ports on the same two lcores,
// straight through rte_eth_tx_burst and rte_eth_rx_burst in loops that do nothing else. What they
// take is the fabric's own share of a latency. An endpoint's stages stand still meanwhile.
#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/counter.h"
#include "dpdk/clock.h"
#include "latency_recorder.h"
#include "rack/endpoint.h"
#include "wire/roce/gid.h"

namespace lambdacast::bench {

// IEEE Std 802-2014, 9.2.3: the local experimental EtherType. No stack takes it for its own.
inline constexpr uint8_t kEtherType[2] = {0x88, 0xb5};
inline constexpr size_t kStampOffset = 16;

inline bool is_bare(const uint8_t* frame, size_t bytes) {
  return bytes >= kStampOffset + sizeof(Stamp) && std::memcmp(frame + 12, kEtherType, 2) == 0;
}

// Both ends run from when they are told to until control says that it is over.
struct BareSlice {
  Schedule schedule;
  std::atomic<bool> over{false};
};

class BarePort {
 public:
  // The port must not be polled by anything else while one of the loops runs.
  BarePort(rack::Endpoint& endpoint, size_t frame_bytes)
      : port_(endpoint.port().id()),
        pool_(endpoint.pool()),
        frame_bytes_(static_cast<uint16_t>(frame_bytes)),
        header_() {
    const auto to = wire::multicast_mac(endpoint.identity().multicast_gid);
    const auto from = endpoint.identity().mac;
    std::memcpy(header_, to.bytes.data(), 6);
    std::memcpy(header_ + 6, from.bytes.data(), 6);
    std::memcpy(header_ + 12, kEtherType, 2);
  }

  // Sends by the schedule. answers: records what comes back; or null, and nothing is received.
  void send(const BareSlice& slice, LatencyRecorder* answers) {
    uint64_t next = slice.schedule.first;
    rte_mbuf* frame = nullptr;
    while (!slice.over.load(std::memory_order_relaxed)) {
      if (next != slice.schedule.end()) {
        if (frame == nullptr) frame = make_frame();
        const uint64_t now_tsc = dpdk::fenced_tsc();
        if (frame != nullptr && now_tsc >= slice.schedule.due_tsc(next)) {
          Stamp{next, now_tsc}.write(rte_pktmbuf_mtod_offset(frame, uint8_t*, kStampOffset));
          if (rte_eth_tx_burst(port_, 0, &frame, 1) == 1) {
            frame = nullptr;
            ++next;
            sent_.add(1);
          }
        }
      }
      if (answers != nullptr) record_burst(*answers);
    }
    rte_pktmbuf_free(frame);
  }
  // Records what comes in, or sends it back if recorder is null.
  void receive(const BareSlice& slice, LatencyRecorder* recorder) {
    while (!slice.over.load(std::memory_order_relaxed)) {
      recorder != nullptr ? record_burst(*recorder) : answer_burst();
    }
  }

  [[nodiscard]] uint64_t sent() const { return sent_.get(); }  // in all; from any thread

 private:
  [[nodiscard]] rte_mbuf* make_frame() {
    rte_mbuf* frame = rte_pktmbuf_alloc(pool_);
    if (frame == nullptr) return nullptr;
    std::memcpy(rte_pktmbuf_mtod(frame, uint8_t*), header_, sizeof header_);
    frame->data_len = frame_bytes_;
    frame->pkt_len = frame_bytes_;
    return frame;
  }
  void record_burst(LatencyRecorder& recorder) {
    rte_mbuf* frames[kBurst];
    const uint16_t got = rte_eth_rx_burst(port_, 0, frames, kBurst);
    for (uint16_t i = 0; i < got; ++i) {
      const uint64_t now_tsc = dpdk::fenced_tsc();
      const auto* bytes = rte_pktmbuf_mtod(frames[i], const uint8_t*);
      if (!is_bare(bytes, frames[i]->data_len)) continue;  // a straggler, or somebody else's
      recorder.record({bytes + kStampOffset, frames[i]->data_len - kStampOffset}, now_tsc);
    }
    rte_pktmbuf_free_bulk(frames, got);
  }
  void answer_burst() {
    rte_mbuf* frames[kBurst];
    const uint16_t got = rte_eth_rx_burst(port_, 0, frames, kBurst);
    for (uint16_t i = 0; i < got; ++i) {
      auto* bytes = rte_pktmbuf_mtod(frames[i], uint8_t*);
      std::memcpy(bytes + 6, header_ + 6, 6);
      if (!is_bare(bytes, frames[i]->data_len) || rte_eth_tx_burst(port_, 0, &frames[i], 1) != 1) {
        rte_pktmbuf_free(frames[i]);
      }
    }
  }

  static constexpr uint16_t kBurst = 32;

  uint16_t port_;
  rte_mempool* pool_;
  uint16_t frame_bytes_;
  uint8_t header_[14];
  base::Counter sent_;
};

}  // namespace lambdacast::bench
