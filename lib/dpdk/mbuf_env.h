// SPDX-License-Identifier: BSD-3-Clause
// A node's surroundings on the data path (node/env.h): mbufs of the node's own pool with PacketInfo
// in their private area, rte_rings, and ethdev ports.
#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "dpdk/handle.h"
#include "dpdk/link.h"
#include "dpdk/packet.h"
#include "dpdk/packet_trace.h"
#include "dpdk/port_tap.h"
#include "dpdk/receive_queues.h"
#include "dpdk/release_ring.h"
#include "node/env.h"

namespace lambdacast::dpdk {

class MbufPackets {
 public:
  // `keep_flag`: the port's (fabric/keep_flag.h); 0: it has none.
  MbufPackets(rte_mempool* pool, uint64_t keep_flag) : pool_(pool), keep_flag_(keep_flag) {}

  [[nodiscard]] rte_mbuf* allocate() { return rte_pktmbuf_alloc(pool_); }
  [[nodiscard]] bool allocate(rte_mbuf** packets, uint32_t count) {
    return rte_pktmbuf_alloc_bulk(pool_, packets, count) == 0;
  }
  void free(rte_mbuf* packet) { rte_pktmbuf_free(packet); }
  void free(rte_mbuf** packets, uint32_t count) { rte_pktmbuf_free_bulk(packets, count); }
  void free_plain(rte_mbuf** packets, uint32_t count) { dpdk::free_plain(pool_, packets, count); }
  void add_reference(rte_mbuf* packet) { rte_mbuf_refcnt_update(packet, 1); }
  [[nodiscard]] bool shared(const rte_mbuf* packet) const {
    return rte_mbuf_refcnt_read(packet) != 1;
  }
  [[nodiscard]] bool can_keep() const { return keep_flag_ != 0; }
  void keep(rte_mbuf* packet) { packet->ol_flags |= keep_flag_; }
  [[nodiscard]] bool kept(const rte_mbuf* packet) const {
    return (packet->ol_flags & keep_flag_) != 0;
  }
  // Nobody else holds it: the count needs no atomic operation.
  void share(rte_mbuf* packet) {
    packet->ol_flags &= ~keep_flag_;
    rte_mbuf_refcnt_set(packet, 2);
  }

 private:
  rte_mempool* const pool_;
  const uint64_t keep_flag_;
};

// Where a node receives, on its receive lcore.
class MbufReceiver {
 public:
  explicit MbufReceiver(std::vector<RxQueue> queues)
      : port_(queues.front().port),
        queue_(queues.front().queue),
        one_(queues.size() == 1),
        queues_(std::move(queues)) {}

  [[nodiscard]] uint32_t receive(rte_mbuf** frames, uint32_t wanted) {
    const auto most = static_cast<uint16_t>(wanted);
    const uint16_t got =
        one_ ? rte_eth_rx_burst(port_, queue_, frames, most) : queues_.burst(frames, most);
    if (tap_ != nullptr && got != 0) [[unlikely]]
      tap_->received(frames, got);
    return got;
  }
  [[nodiscard]] uint64_t waiting() const { return queues_.waiting(); }
  // Shows what is received from now on to `tap`, or to none if it is null. Called on the lcore.
  void set_tap(PortTap* tap) { tap_ = tap; }

 private:
  uint16_t port_;
  uint16_t queue_;
  bool one_;
  PortTap* tap_ = nullptr;
  ReceiveQueues queues_;
};

// Where a node transmits, on its rate_control lcore.
class MbufTransmitter {
 public:
  explicit MbufTransmitter(uint16_t port) : port_(port) {}

  [[nodiscard]] uint32_t transmit(rte_mbuf** frames, uint32_t count) {
    const auto most = static_cast<uint16_t>(count);
    if (tap_ != nullptr) [[unlikely]]
      return tap_->transmit(port_, 0, frames, most);
    return rte_eth_tx_burst(port_, 0, frames, most);
  }
  void reclaim() { rte_eth_tx_done_cleanup(port_, 0, 0); }
  // Shows what the port takes from now on to `tap`, or to none if it is null. Called on the lcore.
  void set_tap(PortTap* tap) { tap_ = tap; }

 private:
  uint16_t port_;
  PortTap* tap_ = nullptr;
};

struct MbufEnv {
  using Packet = rte_mbuf*;
  using Packets = MbufPackets;
  using Queue = Link;
  using HandleQueue = ReleaseRing;
  using Receiver = MbufReceiver;
  using Transmitter = MbufTransmitter;

  [[nodiscard]] static node::PacketInfo& info(rte_mbuf* packet) { return info_of(packet); }
  [[nodiscard]] static uint8_t* frame(rte_mbuf* packet) { return frame_of(packet); }
  [[nodiscard]] static size_t length(const rte_mbuf* packet) { return packet->data_len; }
  static void set_length(rte_mbuf* packet, size_t bytes) {
    packet->data_len = static_cast<uint16_t>(bytes);
    packet->pkt_len = static_cast<uint32_t>(bytes);
  }
  [[nodiscard]] static base::PacketHandle handle(rte_mbuf* packet) { return handle_of(packet); }
  [[nodiscard]] static rte_mbuf* packet(base::PacketHandle handle) { return mbuf_of(handle); }
  static void prefetch(rte_mbuf* packet) {
    __builtin_prefetch(packet);
    __builtin_prefetch(&info_of(packet));
  }
  static void judged(node::StageId, rte_mbuf*, counters::DropReason) {}
  static void passed(node::StageId stage, rte_mbuf* const* packets, uint32_t count,
                     node::Passage what, counters::DropReason reason) {
    PacketTrace* const trace = PacketTrace::active();
    if (trace != nullptr) [[unlikely]]
      trace->note(stage, packets, count, what, reason);
  }

  // Names of rings are the process's: each is unique.
  [[nodiscard]] base::Result<Link> make_queue(node::LinkId link, uint32_t slots);
  [[nodiscard]] base::Result<ReleaseRing> make_handle_queue(uint32_t slots);

  Packets& packets;
  Receiver& receiver;
  Transmitter& transmitter;
};

static_assert(node::Environment<MbufEnv>);

// Makes a name for a ring or a pool that no other of this process has: they share one name space,
// which allows shorter names than endpoints may have. Control thread only.
[[nodiscard]] std::string unique_name(const char* what);

}  // namespace lambdacast::dpdk
