// SPDX-License-Identifier: BSD-3-Clause
// A packet of the data path is an mbuf of an endpoint's own pool, with
// node::PacketInfo in its private area (the lines behind the mbuf structure).
#pragma once

#include <rte_mbuf.h>

#include <cstdint>
#include <span>

#include "config/config.h"
#include "node/packet_info.h"
#include "wire/control/transport.h"

namespace lambdacast::dpdk {

// The size of a receive buffer: VLAN, IPv6, immediate and a 4096-byte payload fit, with headroom.
inline constexpr uint16_t kDataRoomBytes = RTE_PKTMBUF_HEADROOM + 4190;

[[nodiscard]] inline node::PacketInfo& info_of(rte_mbuf* m) {
  return *static_cast<node::PacketInfo*>(rte_mbuf_to_priv(m));
}

[[nodiscard]] inline uint8_t* frame_of(rte_mbuf* m) { return rte_pktmbuf_mtod(m, uint8_t*); }

// Is a packet one segment, and nobody else's? Told by the mbuf's first cache line.
[[nodiscard]] inline bool is_plain(const rte_mbuf* m) {
  return rte_mbuf_refcnt_read(m) == 1 && m->nb_segs == 1 && RTE_MBUF_DIRECT(m);
}

// rte_pktmbuf_free_bulk for packets that as a rule are plain and all of one pool: the
// second cache line of each mbuf, which it would look at, has not been needed so far.
inline void free_plain(rte_mempool* pool, rte_mbuf** packets, uint32_t count) {
  bool plain = true;
  for (uint32_t i = 0; i < count; ++i) {
    plain = plain && packets[i]->pool == pool && is_plain(packets[i]);
  }
  if (plain) [[likely]] {
    rte_mempool_put_bulk(pool, reinterpret_cast<void**>(packets), count);
  } else {
    rte_pktmbuf_free_bulk(packets, count);
  }
}

// The application bytes of a received packet.
[[nodiscard]] inline std::span<const uint8_t> payload_of(rte_mbuf* m) {
  const node::PacketInfo& info = info_of(m);
  return {frame_of(m) + info.payload_offset, info.payload_bytes};
}

}  // namespace lambdacast::dpdk
