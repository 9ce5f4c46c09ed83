// SPDX-License-Identifier: BSD-3-Clause
// The Ethernet header of a control frame (ARP, neighbor discovery, IGMP, MLD), with at most one
// 802.1Q tag. Data frames have parse_frame and FrameTemplate of their own.
#pragma once

#include "wire/roce/ethernet.h"

namespace lambdacast::wire {

// The result of a codec: its message, something of another protocol, or a message of its protocol
// that breaks the rules of the RFC and must be ignored.
enum class Parsed : uint8_t { kMessage, kOther, kMalformed };

inline constexpr uint16_t kVlanIdMask = 0x0fff;

struct LinkHeader {
  MacAddress destination;
  MacAddress source;
  bool has_vlan = false;
  uint16_t vlan_tci = 0;  // priority, DEI and VLAN id as on the wire
  uint16_t ether_type = 0;

  [[nodiscard]] size_t bytes() const { return kEthernetBytes + (has_vlan ? kVlanTagBytes : 0); }
  // 0: untagged, or tagged with a priority only (IEEE 802.1Q, 9.6).
  [[nodiscard]] uint16_t vlan_id() const { return has_vlan ? vlan_tci & kVlanIdMask : 0; }
};

// False if the frame ends inside the header. A second tag is left as the EtherType.
[[nodiscard]] inline bool load_link(const uint8_t* frame, size_t frame_bytes, LinkHeader& out) {
  if (frame_bytes < kEthernetBytes) return false;
  out.destination = destination_mac(frame);
  out.source = source_mac(frame);
  out.ether_type = base::load_be16(frame + 2 * kMacBytes);
  out.has_vlan = out.ether_type == kEtherTypeVlan;
  if (!out.has_vlan) return true;
  if (frame_bytes < kEthernetBytes + kVlanTagBytes) return false;
  out.vlan_tci = base::load_be16(frame + kEthernetBytes);
  out.ether_type = base::load_be16(frame + kEthernetBytes + 2);
  return true;
}

// Writes header.bytes().
inline void store_link(const LinkHeader& header, uint8_t* frame) {
  store_mac(frame, header.destination);
  store_mac(frame + kMacBytes, header.source);
  uint8_t* type = frame + 2 * kMacBytes;
  if (header.has_vlan) {
    base::store_be16(type, kEtherTypeVlan);
    base::store_be16(type + 2, header.vlan_tci);
    type += kVlanTagBytes;
  }
  base::store_be16(type, header.ether_type);
}

inline constexpr MacAddress kBroadcastMac{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

// Usable as somebody's own: not a group address, not all zero.
[[nodiscard]] inline bool is_unicast(const MacAddress& mac) {
  return (mac.bytes[0] & 1) == 0 && mac != MacAddress{};
}

}  // namespace lambdacast::wire
