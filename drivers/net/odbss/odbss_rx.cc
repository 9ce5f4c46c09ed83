// SPDX-License-Identifier: BSD-3-Clause
// Receive: takes frames from the lit wavelengths of a queue in turn. Each frame ends in exactly one
// counter of its wavelength (WavelengthCounters states the identity).
#include "odbss_rx.h"

namespace lambdacast::odbss {
namespace {

// The next `count` frames of one wavelength, which are there.
template <bool kScattered, bool kLoses>
inline uint16_t drain(RxQueue& queue, Listener& listener, rte_mbuf** mbufs, uint16_t count) {
  uint16_t got = 0;
  uint64_t bytes = 0;
  for (uint16_t looked = 0; looked < count; ++looked) {
    listener.receiver.prefetch(kPrefetchAhead);
    rte_mbuf* m = nullptr;
    const Taken taken = take_frame<kScattered, kLoses>(queue, listener, m);
    if (taken == Taken::kNothing) break;
    if (taken == Taken::kFrame) {
      mbufs[got++] = m;
      bytes += m->pkt_len;
    }
  }
  if (got != 0) {
    listener.counters.frames.add(got);
    listener.counters.bytes.add(bytes);
  }
  return got;
}

// The lit wavelengths in turn.
template <bool kScattered, bool kLoses>
inline uint16_t take_turns(RxQueue& queue, rte_mbuf** mbufs, uint16_t count) {
  uint16_t got = 0;
  const auto wavelengths = static_cast<uint32_t>(queue.lit.size());
  uint32_t turn = queue.turn;
  for (uint32_t i = 0; i < wavelengths && got < count; ++i) {
    Listener& listener = *queue.lit[turn];
    const auto there = static_cast<uint16_t>(listener.receiver.available(count - got));
    if (there != 0) got += drain<kScattered, kLoses>(queue, listener, mbufs + got, there);
    if (++turn == wavelengths) turn = 0;
  }
  // Whoever filled this burst goes last in the next.
  queue.turn = turn;
  return got;
}

template <bool kScattered>
inline uint16_t receive(RxQueue& queue, rte_mbuf** mbufs, uint16_t count) {
  const uint64_t generation = queue.fabric->lit_generation();
  if (generation != queue.lit_generation) [[unlikely]]
    look_for_light(queue, generation);
  const bool changed = queue.faults->version() != queue.faults_version;
  if (!queue.impaired && !changed) [[likely]]
    return take_turns<kScattered, false>(queue, mbufs, count);
  if (queue.only_loses && !changed) return take_turns<kScattered, true>(queue, mbufs, count);
  return receive_with_faults<kScattered>(queue, mbufs, count);
}

}  // namespace

uint16_t rx_burst(void* queue, rte_mbuf** mbufs, uint16_t count) {
  return receive<false>(*static_cast<RxQueue*>(queue), mbufs, count);
}

uint16_t rx_burst_scattered(void* queue, rte_mbuf** mbufs, uint16_t count) {
  return receive<true>(*static_cast<RxQueue*>(queue), mbufs, count);
}

uint32_t rx_queue_count(void* queue) {
  RxQueue& asked = *static_cast<RxQueue*>(queue);
  uint32_t waiting = asked.impairments.held.count;
  for (Listener* listener : asked.lit) {
    waiting += listener->receiver.available(asked.fabric->geometry().slots);
  }
  return waiting;
}

}  // namespace lambdacast::odbss
