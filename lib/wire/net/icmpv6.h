// SPDX-License-Identifier: BSD-3-Clause
// ICMPv6 (RFC 4443) inside an IPv6 packet, perhaps behind one hop-by-hop header (RFC 8200, 4.3):
// what neighbor discovery and MLD have in common.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/roce/ip.h"
#include "wire/roce/link_header.h"

namespace lambdacast::wire {

inline constexpr uint8_t kIpProtocolIcmpv6 = 58;
inline constexpr uint8_t kIpProtocolHopByHop = 0;
inline constexpr size_t kIcmpv6Bytes = 4;  // type, code, checksum
// Hop-by-hop header with a router alert for MLD (RFC 2711) and two bytes of padding.
inline constexpr size_t kRouterAlertBytes = 8;

struct Icmpv6View {
  Ipv6Header ip;
  bool router_alert = false;         // the hop-by-hop header has one, of value 0 (MLD)
  const uint8_t* message = nullptr;  // from the type on; points into the packet
  size_t message_bytes = 0;          // at least kIcmpv6Bytes
};

// `packet`: `bytes` from the IPv6 header on, perhaps with Ethernet's padding behind it. kOther: no
// ICMPv6, as far as can be seen; kMalformed: lengths or the checksum are wrong.
[[nodiscard]] Parsed parse_icmpv6(const uint8_t* packet, size_t bytes, Icmpv6View& out);

// Writes the IPv6 header, the router alert if asked for, and the checksum of the `message_bytes`
// that stand behind them already, checksum field included. Returns the bytes of the packet.
// ip.payload_bytes and ip.next_header are computed.
size_t seal_icmpv6(Ipv6Header ip, bool router_alert, size_t message_bytes, uint8_t* packet);

// The one's complement sum that the checksum complements: of the message and its pseudo-header
// (RFC 8200, 8.1).
[[nodiscard]] uint16_t icmpv6_sum(const Gid& source, const Gid& destination, const uint8_t* message,
                                  size_t bytes);

[[nodiscard]] inline bool is_unspecified(const Gid& gid) { return gid == Gid{}; }
// fe80::/10
[[nodiscard]] inline bool is_link_local(const Gid& gid) {
  return gid.bytes[0] == 0xfe && (gid.bytes[1] & 0xc0) == 0x80;
}
// fe80:: and the modified EUI-64 of a MAC address (RFC 4291, appendix A).
[[nodiscard]] Gid link_local_of(const MacAddress& mac);
// ff02::1:ffXX:XXXX (RFC 4291, 2.7.1)
[[nodiscard]] Gid solicited_node_of(const Gid& gid);

}  // namespace lambdacast::wire
