// Transmit: gathers each frame's segments into the wavelength's next slot. Never waits and never
// refuses: light goes out whether anybody listens or not.
#include "odbss_port.h"

#include <rte_mbuf.h>

#include "fabric/copy.h"

namespace lambdacast::odbss {
namespace {

// The head is published this often at the latest, so that it never lags by more than a fraction of
// the smallest ring (fabric::kMinSlots).
constexpr uint16_t kHeadEvery = 32;
constexpr uint32_t kPrefetchAhead = 4;

// Copies one segment. Whole blocks are faster than an exact tail; reading a little past the data is
// harmless as long as it stays inside the mbuf's buffer.
inline void copy_segment(uint8_t* to, const rte_mbuf* m, bool last) {
  const uint32_t bytes = m->data_len;
  const uint32_t whole_blocks = (bytes + fabric::kCopyBlockBytes - 1) & ~uint32_t{63};
  const auto* from = rte_pktmbuf_mtod(m, const uint8_t*);
  if (last && m->data_off + whole_blocks <= m->buf_len) [[likely]] {
    fabric::copy_frame(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

inline void gather(uint8_t* to, const rte_mbuf* m) {
  for (; m->next != nullptr; m = m->next) {
    copy_segment(to, m, false);
    to += m->data_len;
  }
  copy_segment(to, m, true);
}

inline void free_burst(const TxQueue& queue, rte_mbuf** mbufs, uint16_t count) {
  if (queue.fast_free) {
    // The application promised: one pool, no other references, one segment each.
    rte_mempool_put_bulk(mbufs[0]->pool, reinterpret_cast<void**>(mbufs), count);
  } else {
    rte_pktmbuf_free_bulk(mbufs, count);
  }
}

}  // namespace

uint16_t tx_burst(void* opaque, rte_mbuf** mbufs, uint16_t count) {
  auto& queue = *static_cast<TxQueue*>(opaque);
  if (count == 0) return 0;
  if (queue.transmitter == nullptr) {
    queue.errors.add(count);
    rte_pktmbuf_free_bulk(mbufs, count);
    return count;
  }
  fabric::Transmitter& transmitter = *queue.transmitter;
  const uint32_t longest = transmitter.max_frame_bytes();
  uint64_t bytes = 0;
  uint16_t errors = 0;
  for (uint16_t i = 0; i < count; ++i) {
    transmitter.prefetch(kPrefetchAhead);
    const rte_mbuf* m = mbufs[i];
    if (m->pkt_len > longest) [[unlikely]] {
      ++errors;
      continue;
    }
    gather(transmitter.begin_frame(), m);
    transmitter.end_frame(m->pkt_len);
    bytes += m->pkt_len;
    if (i % kHeadEvery == kHeadEvery - 1) transmitter.end_burst();
  }
  transmitter.end_burst();
  queue.frames.add(count - errors);
  queue.bytes.add(bytes);
  if (errors != 0) [[unlikely]] queue.errors.add(errors);
  free_burst(queue, mbufs, count);
  return count;
}

}  // namespace lambdacast::odbss
