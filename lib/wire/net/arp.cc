// SPDX-License-Identifier: BSD-3-Clause
#include "wire/net/arp.h"

#include "wire/roce/ip.h"

namespace lambdacast::wire {
namespace {

constexpr uint16_t kHardwareEthernet = 1;
constexpr uint16_t kRequest = 1;
constexpr uint16_t kReply = 2;
constexpr uint8_t kIpv4AddressBytes = 4;
// Offsets in the message.
constexpr size_t kOperationAt = 6;
constexpr size_t kSenderMacAt = 8;
constexpr size_t kSenderAt = 14;
constexpr size_t kTargetMacAt = 18;
constexpr size_t kTargetAt = 24;

bool can_be_a_sender(uint32_t address) {
  return !is_multicast(gid_from_ipv4(address)) && address != 0xffffffff;
}

}  // namespace

Parsed parse_arp(const uint8_t* arp, size_t bytes, ArpMessage& out) {
  if (bytes < kArpBytes) return Parsed::kMalformed;
  const uint16_t operation = base::load_be16(arp + kOperationAt);
  if (base::load_be16(arp) != kHardwareEthernet || base::load_be16(arp + 2) != kEtherTypeIpv4 ||
      arp[4] != kMacBytes || arp[5] != kIpv4AddressBytes ||
      (operation != kRequest && operation != kReply)) {
    return Parsed::kOther;
  }
  out.is_reply = operation == kReply;
  out.sender_mac = load_mac(arp + kSenderMacAt);
  out.sender = base::load_be32(arp + kSenderAt);
  out.target_mac = load_mac(arp + kTargetMacAt);
  out.target = base::load_be32(arp + kTargetAt);
  const bool sound = is_unicast(out.sender_mac) && can_be_a_sender(out.sender);
  return sound ? Parsed::kMessage : Parsed::kMalformed;
}

void store_arp(const ArpMessage& message, uint8_t* arp) {
  base::store_be16(arp, kHardwareEthernet);
  base::store_be16(arp + 2, kEtherTypeIpv4);
  arp[4] = kMacBytes;
  arp[5] = kIpv4AddressBytes;
  base::store_be16(arp + kOperationAt, message.is_reply ? kReply : kRequest);
  store_mac(arp + kSenderMacAt, message.sender_mac);
  base::store_be32(arp + kSenderAt, message.sender);
  store_mac(arp + kTargetMacAt, message.target_mac);
  base::store_be32(arp + kTargetAt, message.target);
}

}  // namespace lambdacast::wire
