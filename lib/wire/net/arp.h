// SPDX-License-Identifier: BSD-3-Clause
// ARP for IPv4 over Ethernet (RFC 826): what stands behind the Ethernet header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/roce/link_header.h"

namespace lambdacast::wire {

inline constexpr uint16_t kEtherTypeArp = 0x0806;
inline constexpr size_t kArpBytes = 28;

// Addresses in host order. A probe (RFC 5227) is a request with sender 0, an announcement a request
// whose sender and target are the same.
struct ArpMessage {
  bool is_reply = false;
  MacAddress sender_mac;
  uint32_t sender = 0;
  MacAddress target_mac;  // zero in requests
  uint32_t target = 0;
};

// `arp`: `bytes` from behind the Ethernet header; padding behind the message is ignored. kOther:
// another hardware, protocol or operation. kMalformed: cut short, or a sender that cannot be one (a
// group address; RFC 1812, 3.3.2).
[[nodiscard]] Parsed parse_arp(const uint8_t* arp, size_t bytes, ArpMessage& out);

// Writes kArpBytes.
void store_arp(const ArpMessage& message, uint8_t* arp);

}  // namespace lambdacast::wire
