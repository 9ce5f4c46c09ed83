// A packet of the data path is an mbuf of an endpoint's own pool, with
// endpoint::PacketInfo in its private area (the lines behind the mbuf structure).
#pragma once

#include <rte_mbuf.h>

#include <cstdint>
#include <span>

#include "config/config.h"
#include "endpoint/packet_info.h"
#include "wire/transport.h"

namespace lambdacast::dataplane {

// Links move at most this many packets at a time (config: burst).
inline constexpr uint32_t kMaxBurst = 256;

static_assert(config::kTransportHeaderBytes == wire::kTransportHeaderBytes,
              "configuration may not include lib/wire and has the number twice");
static_assert(config::kMaxMessageBytes == wire::kMaxMessageBytes);

// What a receive buffer holds: VLAN, IPv6, immediate and a 4096-byte payload fit, with headroom.
inline constexpr uint16_t kDataRoomBytes = RTE_PKTMBUF_HEADROOM + 4190;

[[nodiscard]] inline endpoint::PacketInfo& info_of(rte_mbuf* m) {
  return *static_cast<endpoint::PacketInfo*>(rte_mbuf_to_priv(m));
}

[[nodiscard]] inline uint8_t* frame_of(rte_mbuf* m) { return rte_pktmbuf_mtod(m, uint8_t*); }

// The application bytes of a received packet.
[[nodiscard]] inline std::span<const uint8_t> payload_of(rte_mbuf* m) {
  const endpoint::PacketInfo& info = info_of(m);
  return {frame_of(m) + info.payload_offset, info.payload_bytes};
}

}  // namespace lambdacast::dataplane
