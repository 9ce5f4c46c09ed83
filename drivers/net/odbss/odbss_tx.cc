// SPDX-License-Identifier: BSD-3-Clause
// Transmit: gathers each frame's segments into the wavelength's next slot. Never waits; refuses
// only what a line rate does not let go yet: light goes out whether anybody listens or not.
#include <rte_cycles.h>
#include <rte_mbuf.h>

#include "base/wire_bytes.h"
#include "fabric/copy.h"
#include "odbss_port.h"

namespace lambdacast::odbss {
namespace {

// The head is published this often at the latest, so that it never lags by more than a fraction of
// the smallest ring (fabric::kMinSlots).
constexpr uint16_t kHeadEvery = 32;
constexpr uint32_t kPrefetchAhead = 8;

// copy_frame() copies a short frame as a whole block: past the data, but here inside the mbuf's
// buffer and inside the slot, which holds more than one block. The segments of a frame are copied
// exactly, for they may end at the end of the slot.
inline void gather(uint8_t* to, const rte_mbuf* m) {
  if (m->next == nullptr && m->data_off + fabric::kCopyBlockBytes <= m->buf_len) [[likely]] {
    fabric::copy_frame(to, rte_pktmbuf_mtod(m, const uint8_t*), m->data_len);
    return;
  }
  for (; m != nullptr; m = m->next) {
    std::memcpy(to, rte_pktmbuf_mtod(m, const uint8_t*), m->data_len);
    to += m->data_len;
  }
}

inline void free_burst(const TxQueue& queue, rte_mbuf** mbufs, uint16_t count) {
  if (queue.fast_free) {
    // The application promised: one pool, no other references, one segment each.
    rte_mempool_put_bulk(mbufs[0]->pool, reinterpret_cast<void**>(mbufs), count);
    return;
  }
  // As a rule of one pool, and all gone or all kept: no need to gather them by pool as
  // rte_pktmbuf_free_bulk does.
  rte_mempool* const pool = mbufs[0]->pool;
  uint16_t gone = 0;
  for (uint16_t i = 0; i < count; ++i) {
    rte_mbuf* const m = mbufs[i];
    if ((m->ol_flags & queue.keep_flag) != 0) continue;
    if (m->nb_segs != 1 || m->pool != pool) [[unlikely]] {
      rte_pktmbuf_free(m);
    } else if (rte_mbuf* const left = rte_pktmbuf_prefree_seg(m); left != nullptr) {
      mbufs[gone++] = left;
    }
  }
  if (gone != 0) rte_mempool_put_bulk(pool, reinterpret_cast<void**>(mbufs), gone);
}

// What the queue in front of the line holds at most, as time: a port keeps its line busy if it is
// polled that often.
constexpr uint64_t kLineQueuePerSecond = 50'000;  // 20 us

[[gnu::noinline]] void adopt_line_rate(TxQueue& queue, uint64_t rate_bps) {
  const uint64_t longest = base::wire_bytes(queue.transmitter->max_frame_bytes());
  const uint64_t depth = std::max(rate_bps / 8 / kLineQueuePerSecond, 2 * longest);
  queue.line = fabric::RateQueue(rate_bps, depth, rte_get_tsc_hz());
  queue.line_has_bps = rate_bps;
}

// kLine: only as many frames as the queue in front of the line has room for.
template <bool kLine>
inline uint16_t send(TxQueue& queue, rte_mbuf** mbufs, uint16_t count) {
  fabric::Transmitter& transmitter = *queue.transmitter;
  const uint32_t longest = transmitter.max_frame_bytes();
  const uint64_t now = rte_rdtsc();
  uint64_t bytes = 0;
  uint16_t errors = 0;
  uint16_t i = 0;
  for (; i < count; ++i) {
    const rte_mbuf* m = mbufs[i];
    transmitter.prefetch(kPrefetchAhead, m->pkt_len);
    if (m->pkt_len > longest) [[unlikely]] {
      ++errors;
      continue;
    }
    if (kLine && !queue.line.offer(now, m->pkt_len)) break;
    gather(transmitter.begin_frame(), m);
    transmitter.end_frame(m->pkt_len, kLine ? queue.line.departure() : now);
    bytes += m->pkt_len;
    if (i % kHeadEvery == kHeadEvery - 1) transmitter.end_burst();
  }
  if (kLine && i != count) queue.held_back.add(1);
  if (kLine && i == 0) return 0;
  transmitter.end_burst();
  queue.frames.add(i - errors);
  queue.bytes.add(bytes);
  if (errors != 0) [[unlikely]]
    queue.errors.add(errors);
  free_burst(queue, mbufs, i);
  return i;
}

[[gnu::noinline]] uint16_t send_at_line_rate(TxQueue& queue, uint64_t rate_bps, rte_mbuf** mbufs,
                                             uint16_t count) {
  if (rate_bps != queue.line_has_bps) adopt_line_rate(queue, rate_bps);
  return send<true>(queue, mbufs, count);
}

}  // namespace

uint16_t tx_burst(void* opaque, rte_mbuf** mbufs, uint16_t count) {
  auto& queue = *static_cast<TxQueue*>(opaque);
  if (count == 0) return 0;
  if (queue.transmitter == nullptr) {
    queue.errors.add(count);
    free_burst(queue, mbufs, count);
    return count;
  }
  const uint64_t rate_bps = queue.line_rate_bps.load(std::memory_order_relaxed);
  if (rate_bps != 0) [[unlikely]]
    return send_at_line_rate(queue, rate_bps, mbufs, count);
  return send<false>(queue, mbufs, count);
}

}  // namespace lambdacast::odbss
