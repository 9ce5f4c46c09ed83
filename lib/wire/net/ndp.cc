// SPDX-License-Identifier: BSD-3-Clause
#include "wire/net/ndp.h"

#include <cstring>

namespace lambdacast::wire {
namespace {

constexpr uint8_t kSolicitation = 135;
constexpr uint8_t kAdvertisement = 136;
constexpr uint8_t kHopLimit = 255;
constexpr size_t kMessageBytes = 24;  // type to target
constexpr size_t kTargetAt = 8;
constexpr uint8_t kRouter = 0x80, kSolicited = 0x40, kOverride = 0x20;
constexpr uint8_t kSourceLinkAddress = 1, kTargetLinkAddress = 2;
constexpr size_t kOptionUnitBytes = 8;

// Options other than the one wanted are skipped; one of length 0 makes the message invalid.
bool read_options(const uint8_t* option, const uint8_t* end, NeighborMessage& out) {
  const uint8_t wanted = out.is_advertisement ? kTargetLinkAddress : kSourceLinkAddress;
  while (option < end) {
    const auto left = static_cast<size_t>(end - option);
    if (left < kOptionUnitBytes || option[1] == 0 || left < option[1] * kOptionUnitBytes) {
      return false;
    }
    if (option[0] == wanted && option[1] == 1) out.link_address = load_mac(option + 2);
    option += option[1] * kOptionUnitBytes;
  }
  return !out.link_address || is_unicast(*out.link_address);
}

bool valid(const NeighborMessage& m) {
  if (is_multicast(m.target) || is_unspecified(m.target)) return false;
  if (is_multicast(m.source)) return false;
  if (m.is_advertisement) {
    return !is_unspecified(m.source) && !(is_multicast(m.destination) && m.solicited);
  }
  if (!is_unspecified(m.source)) return true;
  return m.destination == solicited_node_of(m.target) && !m.link_address;
}

}  // namespace

Parsed parse_neighbor(const uint8_t* packet, size_t bytes, NeighborMessage& out) {
  Icmpv6View view;
  if (const Parsed parsed = parse_icmpv6(packet, bytes, view); parsed != Parsed::kMessage) {
    return parsed;
  }
  const uint8_t* p = view.message;
  if (p[0] != kSolicitation && p[0] != kAdvertisement) return Parsed::kOther;
  if (view.ip.hop_limit != kHopLimit || p[1] != 0 || view.message_bytes < kMessageBytes) {
    return Parsed::kMalformed;
  }
  out = NeighborMessage{};
  out.is_advertisement = p[0] == kAdvertisement;
  if (out.is_advertisement) {
    out.router = (p[4] & kRouter) != 0;
    out.solicited = (p[4] & kSolicited) != 0;
    out.replaces = (p[4] & kOverride) != 0;
  }
  out.source = view.ip.source;
  out.destination = view.ip.destination;
  std::memcpy(out.target.bytes.data(), p + kTargetAt, out.target.bytes.size());
  const bool sound = read_options(p + kMessageBytes, p + view.message_bytes, out) && valid(out);
  return sound ? Parsed::kMessage : Parsed::kMalformed;
}

size_t store_neighbor(const NeighborMessage& message, uint8_t* packet) {
  uint8_t* p = packet + kIpv6Bytes;
  std::memset(p, 0, kMessageBytes);
  p[0] = message.is_advertisement ? kAdvertisement : kSolicitation;
  if (message.is_advertisement) {
    p[4] =
        static_cast<uint8_t>((message.router ? kRouter : 0) | (message.solicited ? kSolicited : 0) |
                             (message.replaces ? kOverride : 0));
  }
  std::memcpy(p + kTargetAt, message.target.bytes.data(), message.target.bytes.size());
  size_t bytes = kMessageBytes;
  if (message.link_address) {
    p[bytes] = message.is_advertisement ? kTargetLinkAddress : kSourceLinkAddress;
    p[bytes + 1] = 1;
    store_mac(p + bytes + 2, *message.link_address);
    bytes += kOptionUnitBytes;
  }
  Ipv6Header ip;
  ip.source = message.source;
  ip.destination = message.destination;
  ip.hop_limit = kHopLimit;
  return seal_icmpv6(ip, false, bytes, packet);
}

}  // namespace lambdacast::wire
