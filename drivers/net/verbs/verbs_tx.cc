// SPDX-License-Identifier: BSD-3-Clause
// Transmit: a frame's message is sent from where it is, by a request that says what the frame's
// headers said. Requests go to the device in chains; of each chain the last asks for a completion,
// which gives all before it back; and so does every sixteenth, lest a device that takes chains in
// part only fill up with requests none of which tells that it is done.
#include <algorithm>

#include "verbs_port.h"
#include "wire/roce/frame.h"
#include "wire/roce/opcode.h"

namespace lambdacast::net_verbs {
namespace {

constexpr uint64_t kSignalEvery = 16;
static_assert(kSignalEvery < kChain, "the least depth of a send queue");

void count_status(TxCounters& counters, ibv_wc_status status) {
  switch (status) {
    case IBV_WC_LOC_LEN_ERR:
      return counters.tx_wc_local_length.add(1);
    case IBV_WC_LOC_QP_OP_ERR:
      return counters.tx_wc_local_operation.add(1);
    case IBV_WC_LOC_PROT_ERR:
      return counters.tx_wc_local_protection.add(1);
    case IBV_WC_WR_FLUSH_ERR:
      return counters.tx_wc_flushed.add(1);
    default:
      return counters.tx_wc_other.add(1);
  }
}

// What is wrong with a frame, as its counter; null: `view` and `pair` tell what to send.
base::Counter* check(TxQueue& queue, const rte_mbuf* m, wire::FrameView& view, QueuePair*& pair) {
  TxCounters& why = queue.counters;
  const Port& port = *queue.port;
  const auto* frame = rte_pktmbuf_mtod(m, const uint8_t*);
  if (wire::parse_frame(frame, m->data_len, view) != counters::DropReason::kNone) {
    return &why.tx_not_roce;
  }
  const bool is_message =
      view.opcode == wire::kOpcodeUdSendOnly || view.opcode == wire::kOpcodeUdSendOnlyImmediate;
  if (!is_message) return &why.tx_not_datagram;
  if (pair == nullptr || pair->number() != view.source_qpn) pair = port.pair(view.source_qpn);
  if (pair == nullptr || view.source_gid != port.device->gid()) return &why.tx_foreign_source;
  if (view.payload_bytes > port.device->path_mtu()) return &why.tx_too_long;
  return pair->failed() ? &why.tx_queue_pair_failed : nullptr;
}

// A frame that cannot be sent from where it is: the copy, or null if there is no buffer for one.
[[gnu::noinline]] rte_mbuf* copy_of(TxQueue& queue, const rte_mbuf* m) {
  rte_mbuf* const copy = rte_pktmbuf_alloc(queue.copies);
  if (copy == nullptr) return nullptr;
  if (rte_pktmbuf_tailroom(copy) < m->pkt_len) {
    rte_pktmbuf_free_seg(copy);
    return nullptr;
  }
  auto* to = rte_pktmbuf_mtod(copy, uint8_t*);
  for (; m != nullptr; m = m->next) {
    std::memcpy(to + copy->data_len, rte_pktmbuf_mtod(m, const uint8_t*), m->data_len);
    copy->data_len = static_cast<uint16_t>(copy->data_len + m->data_len);
  }
  copy->pkt_len = copy->data_len;
  queue.counters.tx_copied.add(1);
  return copy;
}

// Hands the chain to the device. False: it is full, and has not taken all; `taken` of the chain's
// frames are gone.
bool post_chain(TxQueue& queue, uint32_t& taken) {
  taken = 0;
  const uint32_t count = queue.chained;
  if (count == 0) return true;
  queue.chained = 0;
  QueuePair& pair = *queue.chained_for;
  queue.requests[count - 1].next = nullptr;
  queue.requests[count - 1].send_flags |= IBV_SEND_SIGNALED;
  ibv_send_wr* bad = nullptr;
  const int error = ibv_post_send(pair.qp(), queue.requests.data(), &bad);
  const auto posted = error == 0 ? count : static_cast<uint32_t>(bad - queue.requests.data());
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < posted; ++i) {
    rte_mbuf* const frame = queue.frames[i];
    bytes += frame->pkt_len;
    pair.sends.push(queue.held[i]);
    if (queue.held[i] != frame) rte_pktmbuf_free(frame);
  }
  queue.counters.frames.add(posted);
  queue.counters.bytes.add(bytes);
  taken = posted;
  if (error == 0) return true;
  for (uint32_t i = posted; i < count; ++i) {
    if (queue.held[i] != queue.frames[i]) rte_pktmbuf_free(queue.held[i]);
  }
  if (error == ENOMEM || error == EAGAIN) {
    queue.counters.tx_full.add(1);
    return false;
  }
  queue.counters.tx_post_errors.add(count - posted);
  for (uint32_t i = posted; i < count; ++i) rte_pktmbuf_free(queue.frames[i]);
  taken = count;
  if (pair.mark_failed()) queue.port->keeper->wake();
  return true;
}

// Adds a frame to the chain, which is its queue pair's and has room.
void chain(TxQueue& queue, const wire::FrameView& view, ibv_ah* handle, rte_mbuf* frame,
           rte_mbuf* source) {
  const uint32_t i = queue.chained++;
  QueuePair& pair = *queue.chained_for;
  const bool is_inline = view.payload_bytes <= pair.inline_bytes();
  const auto address =
      reinterpret_cast<uintptr_t>(rte_pktmbuf_mtod(source, const uint8_t*)) + view.payload_offset;
  const auto key = is_inline ? std::optional(0u)
                             : queue.port->memory->key_of(reinterpret_cast<const void*>(address),
                                                          view.payload_bytes);
  queue.pieces[i] = {address, view.payload_bytes, key.value_or(0)};
  ibv_send_wr& request = queue.requests[i];
  request.wr_id = pair.sends.posted() + i + 1;
  request.next = &queue.requests[(i + 1) % kChain];
  request.sg_list = &queue.pieces[i];
  request.num_sge = view.payload_bytes == 0 ? 0 : 1;
  request.opcode = view.has_immediate ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
  request.imm_data = __builtin_bswap32(view.immediate);
  request.send_flags = (is_inline ? unsigned{IBV_SEND_INLINE} : 0u) |
                       (request.wr_id % kSignalEvery == 0 ? unsigned{IBV_SEND_SIGNALED} : 0u) |
                       (view.solicited ? unsigned{IBV_SEND_SOLICITED} : 0u);
  request.wr.ud.ah = handle;
  request.wr.ud.remote_qpn = view.destination_qpn;
  request.wr.ud.remote_qkey = view.qkey;
  queue.frames[i] = frame;
  // What was sent from within its request is free at once.
  queue.held[i] = is_inline && source == frame ? nullptr : source;
  if (is_inline) queue.counters.tx_inline.add(1);
}

}  // namespace

void reap_sends(TxQueue& queue) {
  ibv_wc completions[kChain];
  int found = 0;
  do {
    found = ibv_poll_cq(queue.port->send_completions.get(), kChain, completions);
    for (int i = 0; i < found; ++i) {
      const ibv_wc& wc = completions[i];
      QueuePair* const pair = queue.port->pair(wc.qp_num);
      if (pair == nullptr) continue;
      if (wc.status != IBV_WC_SUCCESS) [[unlikely]] {
        count_status(queue.counters, wc.status);
        if (pair->mark_failed()) queue.port->keeper->wake();
      }
      // Requests complete in their order; one that was reset is of the past.
      if (wc.wr_id <= pair->sends.posted()) pair->sends.release(wc.wr_id);
    }
  } while (found == static_cast<int>(kChain));
  if (found < 0) queue.counters.tx_poll_errors.add(1);
}

int tx_done_cleanup(void* opaque, uint32_t) {
  auto& queue = *static_cast<TxQueue*>(opaque);
  if (!queue.turn.try_take()) return 0;
  reap_sends(queue);
  queue.turn.give_back();
  return 0;
}

namespace {

// How many of the frames are gone: sent, or refused and counted.
uint16_t send(TxQueue& queue, rte_mbuf** mbufs, uint16_t count) {
  QueuePair* pair = nullptr;
  uint16_t gone = 0;  // the chain's frames come behind them
  uint32_t taken = 0;
  while (gone + queue.chained < count) {
    rte_mbuf* const frame = mbufs[gone + queue.chained];
    rte_mbuf* source = frame;
    const bool in_place =
        frame->nb_segs == 1 &&
        queue.port->memory->key_of(rte_pktmbuf_mtod(frame, const uint8_t*), frame->data_len);
    if (!in_place && (source = copy_of(queue, frame)) == nullptr) break;
    wire::FrameView view;
    base::Counter* refused = check(queue, source, view, pair);
    ibv_ah* handle = nullptr;
    if (refused == nullptr) {
      handle =
          queue.port->handles->find({view.destination_gid, view.traffic_class, view.hop_limit});
      if (handle == nullptr) {
        queue.port->keeper->wake();
        refused = &queue.counters.tx_no_address_handle;
      }
    }
    const bool ends_chain = refused != nullptr || queue.chained == kChain ||
                            (queue.chained != 0 && queue.chained_for != pair);
    const bool full = refused == nullptr && pair->sends.room() <= queue.chained;
    if (ends_chain || full) {
      const bool all = post_chain(queue, taken);
      gone = static_cast<uint16_t>(gone + taken);
      if (!all || (full && pair->sends.room() == 0)) {
        if (source != frame) rte_pktmbuf_free(source);
        if (all) queue.counters.tx_full.add(1);
        return gone;
      }
    }
    if (refused != nullptr) [[unlikely]] {
      refused->add(1);
      if (source != frame) rte_pktmbuf_free(source);
      rte_pktmbuf_free(frame);
      ++gone;
      continue;
    }
    queue.chained_for = pair;
    chain(queue, view, handle, frame, source);
  }
  (void)post_chain(queue, taken);
  return static_cast<uint16_t>(gone + taken);
}

}  // namespace

uint16_t tx_burst(void* opaque, rte_mbuf** mbufs, uint16_t count) {
  auto& queue = *static_cast<TxQueue*>(opaque);
  if (!queue.turn.try_take()) [[unlikely]]
    return 0;
  reap_sends(queue);
  const uint16_t gone = send(queue, mbufs, count);
  queue.turn.give_back();
  return gone;
}

}  // namespace lambdacast::net_verbs
