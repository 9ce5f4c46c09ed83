// SPDX-License-Identifier: BSD-3-Clause
// IPv4 (RFC 791) and IPv6 (RFC 8200) headers as values. Addresses are GIDs throughout; lengths are
// in bytes as on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "wire/roce/gid.h"

namespace lambdacast::wire {

inline constexpr size_t kIpv4Bytes = 20;  // without options
inline constexpr size_t kIpv6Bytes = 40;
inline constexpr uint8_t kIpProtocolUdp = 17;

struct Ipv4Header {
  uint8_t version = 4;
  uint8_t header_bytes = kIpv4Bytes;  // 0 ... 60 as read; store_ipv4 writes no options
  uint8_t tos = 0;
  uint16_t total_bytes = 0;  // header included
  uint16_t id = 0;
  bool dont_fragment = false;
  bool is_fragment = false;  // more fragments follow, or the offset is not 0
  uint8_t ttl = 0;
  uint8_t protocol = 0;
  uint32_t source = 0;  // host order
  uint32_t destination = 0;
};

// The sum of big-endian 16-bit words, carries not yet folded in. `bytes` even and at most 2^17.
[[nodiscard]] inline uint32_t internet_sum(const uint8_t* p, size_t bytes) {
  uint32_t sum = 0;
  for (size_t i = 0; i < bytes; i += 2) sum += base::load_be16(p + i);
  return sum;
}

// Adds the carries into the low 16 bits (RFC 1071, one's complement addition). A header whose
// checksum is right folds to 0xffff; the checksum to store is the complement of the folded rest.
[[nodiscard]] constexpr uint16_t fold_sum(uint32_t sum) {
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

[[nodiscard]] inline Ipv4Header load_ipv4(const uint8_t* p) {
  const uint16_t fragment = base::load_be16(p + 6);
  Ipv4Header h;
  h.version = p[0] >> 4;
  h.header_bytes = static_cast<uint8_t>((p[0] & 0x0f) * 4);
  h.tos = p[1];
  h.total_bytes = base::load_be16(p + 2);
  h.id = base::load_be16(p + 4);
  h.dont_fragment = (fragment & 0x4000) != 0;
  h.is_fragment = (fragment & 0x3fff) != 0;
  h.ttl = p[8];
  h.protocol = p[9];
  h.source = base::load_be32(p + 12);
  h.destination = base::load_be32(p + 16);
  return h;
}

// Writes kIpv4Bytes, checksum included; `header_bytes` and `is_fragment` are not written.
inline void store_ipv4(const Ipv4Header& h, uint8_t* p) {
  p[0] = 0x45;
  p[1] = h.tos;
  base::store_be16(p + 2, h.total_bytes);
  base::store_be16(p + 4, h.id);
  base::store_be16(p + 6, h.dont_fragment ? 0x4000 : 0);
  p[8] = h.ttl;
  p[9] = h.protocol;
  base::store_be16(p + 10, 0);
  base::store_be32(p + 12, h.source);
  base::store_be32(p + 16, h.destination);
  base::store_be16(p + 10, static_cast<uint16_t>(~fold_sum(internet_sum(p, kIpv4Bytes))));
}

struct Ipv6Header {
  uint8_t version = 6;
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;     // 20 bits
  uint16_t payload_bytes = 0;  // behind this header
  uint8_t next_header = 0;
  uint8_t hop_limit = 0;
  Gid source;
  Gid destination;
};

[[nodiscard]] inline Ipv6Header load_ipv6(const uint8_t* p) {
  const uint32_t first = base::load_be32(p);
  Ipv6Header h;
  h.version = static_cast<uint8_t>(first >> 28);
  h.traffic_class = static_cast<uint8_t>(first >> 20);
  h.flow_label = first & 0xfffff;
  h.payload_bytes = base::load_be16(p + 4);
  h.next_header = p[6];
  h.hop_limit = p[7];
  std::memcpy(h.source.bytes.data(), p + 8, sizeof h.source.bytes);
  std::memcpy(h.destination.bytes.data(), p + 24, sizeof h.destination.bytes);
  return h;
}

// Writes kIpv6Bytes.
inline void store_ipv6(const Ipv6Header& h, uint8_t* p) {
  base::store_be32(p,
                   uint32_t{6} << 28 | uint32_t{h.traffic_class} << 20 | (h.flow_label & 0xfffff));
  base::store_be16(p + 4, h.payload_bytes);
  p[6] = h.next_header;
  p[7] = h.hop_limit;
  std::memcpy(p + 8, h.source.bytes.data(), sizeof h.source.bytes);
  std::memcpy(p + 24, h.destination.bytes.data(), sizeof h.destination.bytes);
}

}  // namespace lambdacast::wire
