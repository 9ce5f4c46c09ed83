// SPDX-License-Identifier: BSD-3-Clause
// Ethernet II header and IEEE 802.1Q tags.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "wire/roce/gid.h"

namespace lambdacast::wire {

inline constexpr size_t kMacBytes = 6;
inline constexpr size_t kEthernetBytes = 14;
inline constexpr size_t kVlanTagBytes = 4;
inline constexpr uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr uint16_t kEtherTypeIpv6 = 0x86dd;
inline constexpr uint16_t kEtherTypeVlan = 0x8100;         // customer tag
inline constexpr uint16_t kEtherTypeServiceVlan = 0x88a8;  // 802.1ad outer tag

[[nodiscard]] inline MacAddress load_mac(const uint8_t* p) {
  MacAddress mac;
  std::memcpy(mac.bytes.data(), p, kMacBytes);
  return mac;
}
inline void store_mac(uint8_t* p, const MacAddress& mac) {
  std::memcpy(p, mac.bytes.data(), kMacBytes);
}

// The addresses of a frame of at least kEthernetBytes.
[[nodiscard]] inline MacAddress destination_mac(const uint8_t* frame) { return load_mac(frame); }
[[nodiscard]] inline MacAddress source_mac(const uint8_t* frame) {
  return load_mac(frame + kMacBytes);
}

[[nodiscard]] constexpr bool is_vlan_tag(uint16_t ether_type) {
  return ether_type == kEtherTypeVlan || ether_type == kEtherTypeServiceVlan;
}

}  // namespace lambdacast::wire
