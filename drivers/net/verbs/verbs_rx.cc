// SPDX-License-Identifier: BSD-3-Clause
// Receive: completions become frames, in place, and as many receives are posted again.
#include "verbs_port.h"

namespace lambdacast::net_verbs {
namespace {

// Receives are posted again when so many are lacking, with one call.
constexpr uint32_t kRefill = 16;

void count_status(RxCounters& counters, ibv_wc_status status) {
  switch (status) {
    case IBV_WC_LOC_LEN_ERR:
      return counters.rx_wc_local_length.add(1);
    case IBV_WC_LOC_QP_OP_ERR:
      return counters.rx_wc_local_operation.add(1);
    case IBV_WC_LOC_PROT_ERR:
      return counters.rx_wc_local_protection.add(1);
    case IBV_WC_WR_FLUSH_ERR:
      return counters.rx_wc_flushed.add(1);
    default:
      return counters.rx_wc_other.add(1);
  }
}

inline uint8_t* message_of(rte_mbuf* m) {
  return static_cast<uint8_t*>(m->buf_addr) + kMessageOffset;
}

// Any receive in error ends its queue pair (IBTA vol. 1, 10.3.1.7).
[[gnu::noinline]] void note_failure(RxQueue& queue, QueuePair& pair, ibv_wc_status status) {
  count_status(queue.counters, status);
  if (pair.mark_failed()) queue.port->keeper->wake();
}

// Devices bring multicast back to the sender's own queue pairs.
inline bool is_own(const Port& port, const ibv_wc& wc, const rte_mbuf* m) {
  if (port.devargs.loopback || port.pair(wc.src_qp) == nullptr) return false;
  const auto* const grh = static_cast<const uint8_t*>(m->buf_addr) + kGrhOffset;
  return comes_from(grh, port.device->gid());
}

// The mbuf of a completion, with its frame; null: there is none, and the reason is counted.
inline rte_mbuf* take(RxQueue& queue, QueuePair*& pair, const ibv_wc& wc) {
  if (pair == nullptr || pair->number() != wc.qp_num) pair = queue.port->pair(wc.qp_num);
  if (pair == nullptr || pair->receives.empty()) [[unlikely]] {
    queue.counters.rx_foreign_queue_pair.add(1);
    return nullptr;
  }
  rte_mbuf* const m = pair->receives.pop();
  Framed framed;
  if (wc.status != IBV_WC_SUCCESS) [[unlikely]] {
    note_failure(queue, *pair, wc.status);
  } else if ((wc.wc_flags & IBV_WC_GRH) == 0 || wc.byte_len < kGrhBytes) [[unlikely]] {
    queue.counters.rx_no_route_header.add(1);
  } else if (is_own(*queue.port, wc, m)) {
    queue.counters.rx_own_frames.add(1);
  } else {
    const bool has_immediate = (wc.wc_flags & IBV_WC_WITH_IMM) != 0;
    const Message message{static_cast<uint32_t>(wc.byte_len - kGrhBytes), wc.src_qp, has_immediate,
                          has_immediate ? __builtin_bswap32(wc.imm_data) : 0};
    const Station station{queue.port->device->mac(), wc.qp_num, queue.port->devargs.qkey,
                          queue.port->devargs.pkey};
    framed = make_frame(station, message, message_of(m));
    if (framed.front_bytes == 0) [[unlikely]]
      queue.counters.rx_bad_route_header.add(1);
  }
  if (framed.front_bytes == 0) [[unlikely]] {
    rte_mbuf_raw_free(m);
    return nullptr;
  }
  std::memcpy(m->rearm_data, &queue.rearm, sizeof queue.rearm);
  m->data_off = static_cast<uint16_t>(kMessageOffset - framed.front_bytes);
  m->ol_flags = 0;
  m->packet_type = 0;
  m->vlan_tci = 0;
  m->pkt_len = framed.bytes;
  m->data_len = static_cast<uint16_t>(framed.bytes);
  return m;
}

// One call's worth: how many were posted, or -1: the device takes none.
int post_chain(RxQueue& queue, QueuePair& pair, uint32_t count) {
  rte_mbuf* fresh[kChain];
  if (rte_mempool_get_bulk(queue.pool, reinterpret_cast<void**>(fresh), count) != 0) {
    queue.counters.no_mbuf.add(count);
    return 0;
  }
  for (uint32_t i = 0; i < count; ++i) {
    rte_mbuf* const m = fresh[i];
    const auto address = reinterpret_cast<uintptr_t>(m->buf_addr) + kGrhOffset;
    const auto key = queue.port->memory->key_of(reinterpret_cast<const void*>(address), 1);
    queue.pieces[i] = {address, queue.receive_bytes, key.value_or(0)};
    queue.requests[i] = {reinterpret_cast<uintptr_t>(m),
                         i + 1 < count ? &queue.requests[i + 1] : nullptr, &queue.pieces[i], 1};
  }
  ibv_recv_wr* bad = nullptr;
  const int error = ibv_post_recv(pair.qp(), queue.requests.data(), &bad);
  const auto posted = error == 0 ? count : static_cast<uint32_t>(bad - queue.requests.data());
  for (uint32_t i = 0; i < posted; ++i) pair.receives.push(fresh[i]);
  if (error == 0) return static_cast<int>(count);
  queue.counters.rx_post_errors.add(1);
  rte_mempool_put_bulk(queue.pool, reinterpret_cast<void**>(fresh + posted), count - posted);
  return -1;
}

inline void refill(RxQueue& queue) {
  for (const auto& pair : queue.port->queue_pairs) {
    while (!pair->failed() && pair->receives.room() >= kRefill) {
      if (post_chain(queue, *pair, std::min(pair->receives.room(), kChain)) <= 0) break;
    }
  }
}

}  // namespace

bool post_receives(RxQueue& queue, QueuePair& pair) {
  while (pair.receives.room() != 0) {
    const int posted = post_chain(queue, pair, std::min(pair.receives.room(), kChain));
    if (posted <= 0) return posted == 0;
  }
  return true;
}

uint16_t rx_burst(void* opaque, rte_mbuf** mbufs, uint16_t count) {
  auto& queue = *static_cast<RxQueue*>(opaque);
  if (!queue.turn.try_take()) [[unlikely]]
    return 0;
  ibv_wc completions[kChain];
  ibv_cq* const cq = queue.port->receive_completions.get();
  QueuePair* pair = nullptr;
  uint16_t got = 0;
  uint64_t bytes = 0;
  while (got < count) {
    const int wanted = std::min<int>(count - got, kChain);
    const int found = ibv_poll_cq(cq, wanted, completions);
    if (found < 0) [[unlikely]]
      queue.counters.rx_poll_errors.add(1);
    for (int i = 0; i < found; ++i) {
      // The headers of all are on their way before the first is looked at.
      __builtin_prefetch(message_of(reinterpret_cast<rte_mbuf*>(completions[i].wr_id)) - kGrhBytes);
      __builtin_prefetch(reinterpret_cast<rte_mbuf*>(completions[i].wr_id), 1);
    }
    for (int i = 0; i < found; ++i) {
      rte_mbuf* const m = take(queue, pair, completions[i]);
      if (m == nullptr) continue;
      mbufs[got++] = m;
      bytes += m->pkt_len;
    }
    if (found < wanted) break;
  }
  if (got != 0) {
    queue.counters.frames.add(got);
    queue.counters.bytes.add(bytes);
  }
  refill(queue);
  queue.turn.give_back();
  return got;
}

}  // namespace lambdacast::net_verbs
