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
    const rte_mbuf* m = mbufs[i];
    transmitter.prefetch(kPrefetchAhead, m->pkt_len);
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
