// SPDX-License-Identifier: BSD-3-Clause
#include "wire/net/icmpv6.h"

#include <algorithm>
#include <array>

namespace lambdacast::wire {
namespace {

constexpr uint8_t kOptionPad1 = 0;
constexpr uint8_t kOptionRouterAlert = 5;
constexpr std::array<uint8_t, kRouterAlertBytes> kRouterAlertHeader = {
    kIpProtocolIcmpv6,
    0,  // next header; length beyond 8 bytes
    kOptionRouterAlert,
    2,
    0,
    0,  // value 0: MLD (RFC 2711)
    1,
    0};  // PadN of two bytes

// The options of a hop-by-hop header; false if one reaches beyond it.
bool read_options(const uint8_t* option, const uint8_t* end, bool& router_alert) {
  while (option < end) {
    if (*option == kOptionPad1) {
      ++option;
      continue;
    }
    const auto left = static_cast<size_t>(end - option);
    if (left < 2 || left < 2u + option[1]) return false;
    if (option[0] == kOptionRouterAlert && option[1] == 2) {
      router_alert = base::load_be16(option + 2) == 0;
    }
    option += 2 + option[1];
  }
  return true;
}

}  // namespace

Parsed parse_icmpv6(const uint8_t* packet, size_t bytes, Icmpv6View& out) {
  if (bytes < kIpv6Bytes) return Parsed::kMalformed;
  out = Icmpv6View{};
  out.ip = load_ipv6(packet);
  if (out.ip.version != 6 || bytes - kIpv6Bytes < out.ip.payload_bytes) return Parsed::kMalformed;
  const uint8_t* at = packet + kIpv6Bytes;
  const uint8_t* const end = at + out.ip.payload_bytes;
  uint8_t next_header = out.ip.next_header;
  if (next_header == kIpProtocolHopByHop) {
    if (end - at < 8) return Parsed::kMalformed;
    const size_t header_bytes = (size_t{at[1]} + 1) * 8;
    if (static_cast<size_t>(end - at) < header_bytes) return Parsed::kMalformed;
    if (!read_options(at + 2, at + header_bytes, out.router_alert)) return Parsed::kMalformed;
    next_header = at[0];
    at += header_bytes;
  }
  if (next_header != kIpProtocolIcmpv6) return Parsed::kOther;
  out.message = at;
  out.message_bytes = static_cast<size_t>(end - at);
  if (out.message_bytes < kIcmpv6Bytes) return Parsed::kMalformed;
  const uint16_t sum = icmpv6_sum(out.ip.source, out.ip.destination, at, out.message_bytes);
  return sum == 0xffff ? Parsed::kMessage : Parsed::kMalformed;
}

size_t seal_icmpv6(Ipv6Header ip, bool router_alert, size_t message_bytes, uint8_t* packet) {
  const size_t alert_bytes = router_alert ? kRouterAlertBytes : 0;
  ip.payload_bytes = static_cast<uint16_t>(alert_bytes + message_bytes);
  ip.next_header = router_alert ? kIpProtocolHopByHop : kIpProtocolIcmpv6;
  store_ipv6(ip, packet);
  if (router_alert) {
    std::copy(kRouterAlertHeader.begin(), kRouterAlertHeader.end(), packet + kIpv6Bytes);
  }
  uint8_t* message = packet + kIpv6Bytes + alert_bytes;
  base::store_be16(message + 2, 0);
  const uint16_t sum = icmpv6_sum(ip.source, ip.destination, message, message_bytes);
  base::store_be16(message + 2, static_cast<uint16_t>(~sum));
  return kIpv6Bytes + alert_bytes + message_bytes;
}

uint16_t icmpv6_sum(const Gid& source, const Gid& destination, const uint8_t* message,
                    size_t bytes) {
  uint32_t sum = internet_sum(source.bytes.data(), source.bytes.size());
  sum += internet_sum(destination.bytes.data(), destination.bytes.size());
  sum += static_cast<uint32_t>(bytes) + kIpProtocolIcmpv6;
  sum += internet_sum(message, bytes & ~size_t{1});
  if (bytes % 2 != 0) sum += uint32_t{message[bytes - 1]} << 8;
  return fold_sum(sum);
}

Gid link_local_of(const MacAddress& mac) {
  const auto& b = mac.bytes;
  return {{0xfe, 0x80, 0, 0, 0, 0, 0, 0, static_cast<uint8_t>(b[0] ^ 2), b[1], b[2], 0xff, 0xfe,
           b[3], b[4], b[5]}};
}

Gid solicited_node_of(const Gid& gid) {
  const auto& b = gid.bytes;
  return {{0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, b[13], b[14], b[15]}};
}

}  // namespace lambdacast::wire
