// SPDX-License-Identifier: BSD-3-Clause
// The parts of receiving, with faults (odbss_rx_faults.cc) and without (odbss_rx.cc).
#pragma once

#include <rte_mbuf.h>

#include <algorithm>

#include "odbss_port.h"

namespace lambdacast::odbss {

constexpr uint32_t kPrefetchAhead = 8;  // frames
constexpr uint32_t kMbufsAhead = 4;

// A wavelength that was dark may have been lit since. Rare: only after a claim anywhere.
[[gnu::noinline]] inline void look_for_light(RxQueue& queue, uint64_t generation) {
  queue.lit_generation = generation;
  queue.lit.clear();
  for (Listener& listener : queue.listeners) {
    listener.lit = listener.lit || listener.receiver.lit();
    if (listener.lit) queue.lit.push_back(&listener);
  }
  queue.turn = 0;
}

[[gnu::noinline]] inline bool refill(RxQueue& queue) {
  if (rte_mempool_get_bulk(queue.pool, reinterpret_cast<void**>(queue.stash), RxQueue::kStash) ==
      0) {
    queue.stashed = RxQueue::kStash;
    return true;
  }
  // Nearly dry: take what there is, one by one.
  while (queue.stashed < RxQueue::kStash / 2 &&
         rte_mempool_get(queue.pool, reinterpret_cast<void**>(&queue.stash[queue.stashed])) == 0) {
    ++queue.stashed;
  }
  return queue.stashed != 0;
}

inline uint8_t* data_of(rte_mbuf* m) {
  return static_cast<uint8_t*>(m->buf_addr) + RTE_PKTMBUF_HEADROOM;
}

// Mbufs come back cold where packets are kept for long: one is fetched a few takes ahead, and when
// its first line is here, half-way, the lines that the frame's headers go to.
inline rte_mbuf* take_mbuf(RxQueue& queue) {
  if (queue.stashed == 0 && !refill(queue)) [[unlikely]]
    return nullptr;
  rte_mbuf* const m = queue.stash[--queue.stashed];
  if (queue.stashed >= kMbufsAhead) [[likely]] {
    rte_mbuf* const* const ahead = queue.stash + queue.stashed - kMbufsAhead;
    __builtin_prefetch(ahead[0], 1);
    uint8_t* const data = data_of(ahead[kMbufsAhead / 2]);
    __builtin_prefetch(data, 1);
    __builtin_prefetch(data + base::kCacheLineBytes, 1);
  }
  return m;
}

inline void give_back(RxQueue& queue, rte_mbuf* m) { queue.stash[queue.stashed++] = m; }

inline void describe(const RxQueue& queue, rte_mbuf* m, uint32_t bytes) {
  std::memcpy(m->rearm_data, &queue.rearm, sizeof queue.rearm);
  m->ol_flags = 0;
  m->packet_type = 0;
  m->vlan_tci = 0;
  m->pkt_len = bytes;
  m->data_len = static_cast<uint16_t>(bytes);
}

enum class Taken : uint8_t { kNothing, kFrame, kPassedOver };

// The peeked frame cannot be taken: counts the reason, or the overrun if it was not even there.
[[gnu::noinline]] inline Taken pass_over(Listener& listener, base::Counter& reason) {
  if (!listener.receiver.still_there()) {
    listener.counters.missed.add(listener.receiver.resume());
  } else {
    reason.add(1);
    listener.receiver.advance();
  }
  return Taken::kPassedOver;
}

// Copies a frame longer than one mbuf into a chain, behind the first mbuf. False: no mbufs.
[[gnu::noinline]] inline bool scatter(RxQueue& queue, const fabric::Receiver& receiver,
                                      rte_mbuf* first) {
  const uint32_t room = queue.mbuf_room_bytes;
  const uint32_t length = receiver.length();
  rte_mbuf* tail = first;
  describe(queue, first, std::min(length, room));
  receiver.copy_part(data_of(first), 0, first->data_len);
  for (uint32_t done = first->data_len; done < length; done += tail->data_len) {
    rte_mbuf* next = take_mbuf(queue);
    if (next == nullptr) return false;
    describe(queue, next, std::min(length - done, room));
    receiver.copy_part(data_of(next), done, next->data_len);
    tail->next = next;
    tail = next;
    ++first->nb_segs;
  }
  first->pkt_len = length;
  return true;
}

// Undoes scatter().
inline void give_back_chain(RxQueue& queue, rte_mbuf* first) {
  if (first->next != nullptr) {
    rte_pktmbuf_free(first->next);
    first->next = nullptr;
  }
  first->nb_segs = 1;
  give_back(queue, first);
}

// kLoses: what is lost on the fibre is passed over.
template <bool kScattered, bool kLoses>
inline Taken take_frame(RxQueue& queue, Listener& listener, rte_mbuf*& out) {
  fabric::Receiver& receiver = listener.receiver;
  const fabric::Peek peek = receiver.peek();
  if (peek != fabric::Peek::kFrame) [[unlikely]] {
    if (peek == fabric::Peek::kEmpty) return Taken::kNothing;
    listener.counters.missed.add(receiver.resume());
    return Taken::kPassedOver;
  }
  if (kLoses && listener.faults.loses(receiver.cursor())) [[unlikely]]
    return pass_over(listener, listener.counters.fault_lost);
  const uint32_t length = receiver.length();
  if (length > queue.max_frame_bytes.load(std::memory_order_relaxed)) [[unlikely]] {
    return pass_over(listener, listener.counters.too_long);
  }
  rte_mbuf* m = take_mbuf(queue);
  if (m == nullptr) [[unlikely]]
    return pass_over(listener, listener.counters.no_mbuf);

  bool intact;
  bool chained = false;
  if (kScattered && length > queue.mbuf_room_bytes) {
    chained = true;
    if (!scatter(queue, receiver, m)) {
      give_back_chain(queue, m);
      return pass_over(listener, listener.counters.no_mbuf);
    }
    intact = receiver.still_there();
  } else {
    intact = receiver.copy_to(data_of(m));
  }
  if (!intact) [[unlikely]] {
    chained ? give_back_chain(queue, m) : give_back(queue, m);
    listener.counters.missed.add(receiver.resume());
    return Taken::kPassedOver;
  }
  if (!chained) describe(queue, m, length);
  receiver.advance();
  if (!queue.filter->accepts(data_of(m))) {
    listener.counters.filtered.add(1);
    chained ? give_back_chain(queue, m) : give_back(queue, m);
    return Taken::kPassedOver;
  }
  out = m;
  return Taken::kFrame;
}

// A burst while faults are injected, or were just now.
template <bool kScattered>
[[nodiscard]] uint16_t receive_with_faults(RxQueue& queue, rte_mbuf** mbufs, uint16_t count);

}  // namespace lambdacast::odbss
