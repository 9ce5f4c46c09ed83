// SPDX-License-Identifier: BSD-3-Clause
#include "addresses.h"

#include "wire/roce/link_header.h"

namespace lambdacast::verbs {
namespace {
constexpr uint8_t kUniversalBit = 0x02;  // inverted in a modified EUI-64
constexpr std::array<uint8_t, 2> kMacPrefix{0x02, 0x4f};
}  // namespace

wire::MacAddress mac_of_ipv4(uint32_t address) {
  wire::MacAddress mac{{kMacPrefix[0], kMacPrefix[1]}};
  base::store_be32(&mac.bytes[2], address);
  return mac;
}

wire::Gid link_local(const wire::MacAddress& mac) {
  const auto& m = mac.bytes;
  return {{0xfe, 0x80, 0, 0, 0, 0, 0, 0, static_cast<uint8_t>(m[0] ^ kUniversalBit), m[1], m[2],
           0xff, 0xfe, m[3], m[4], m[5]}};
}

bool is_link_local(const wire::Gid& gid) {
  return gid.bytes[0] == 0xfe && (gid.bytes[1] & 0xc0) == 0x80;
}

std::optional<wire::MacAddress> mac_of_link_local(const wire::Gid& gid) {
  const auto& g = gid.bytes;
  const wire::MacAddress mac{
      {static_cast<uint8_t>(g[8] ^ kUniversalBit), g[9], g[10], g[13], g[14], g[15]}};
  if (gid != link_local(mac) || !wire::is_unicast(mac)) return std::nullopt;
  return mac;
}

wire::MacAddress destination_mac(const wire::Gid& gid) {
  if (wire::is_multicast(gid)) return wire::multicast_mac(gid);
  if (wire::is_ipv4_mapped(gid)) return mac_of_ipv4(wire::ipv4_of(gid));
  return mac_of_link_local(gid).value_or(wire::kBroadcastMac);
}

}  // namespace lambdacast::verbs
