// SPDX-License-Identifier: BSD-3-Clause
// Which bytes from the IP header on count as ones in the ICRC, whatever they are: what a router may
// change. A byte is masked by OR with the array's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/roce/bth.h"
#include "wire/roce/ip.h"
#include "wire/roce/udp.h"

namespace lambdacast::wire {

// As many bytes as hold all masked fields, rounded up to what a CRC reads at once.
inline constexpr size_t kIpv4HeadBytes = 48;  // IP, UDP, BTH and 8 bytes more: of UD, the DETH
inline constexpr size_t kIpv6HeadBytes = 64;  // IP, UDP, BTH and 4 bytes more

template <size_t kHeadBytes>
using HeadMask = std::array<uint8_t, kHeadBytes>;

namespace icrc_detail {

template <size_t kHeadBytes>
constexpr void mask_udp_and_bth(HeadMask<kHeadBytes>& mask, size_t udp_offset) {
  mask[udp_offset + 6] = mask[udp_offset + 7] = 0xff;  // checksum
  mask[udp_offset + kUdpBytes + 4] = 0xff;             // FECN, BECN and reserved bits
}

constexpr HeadMask<kIpv4HeadBytes> ipv4_mask() {
  HeadMask<kIpv4HeadBytes> mask{};
  mask[1] = 0xff;              // TOS
  mask[8] = 0xff;              // TTL
  mask[10] = mask[11] = 0xff;  // header checksum
  mask_udp_and_bth(mask, kIpv4Bytes);
  return mask;
}

constexpr HeadMask<kIpv6HeadBytes> ipv6_mask() {
  HeadMask<kIpv6HeadBytes> mask{};
  mask[0] = 0x0f;  // traffic class, but not the version
  mask[1] = mask[2] = mask[3] = 0xff;
  mask[7] = 0xff;  // hop limit
  mask_udp_and_bth(mask, kIpv6Bytes);
  return mask;
}

}  // namespace icrc_detail

alignas(16) inline constexpr HeadMask<kIpv4HeadBytes> kIpv4Mask = icrc_detail::ipv4_mask();
alignas(16) inline constexpr HeadMask<kIpv6HeadBytes> kIpv6Mask = icrc_detail::ipv6_mask();

}  // namespace lambdacast::wire
