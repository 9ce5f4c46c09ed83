// SPDX-License-Identifier: BSD-3-Clause
// RoCEv2 global identifiers: a GID is an IPv6 address, an IPv4 endpoint has its v4-mapped form
// ::ffff:a.b.c.d (IBTA annex A17, RoCEv2). 16 bytes in network order.
//
// One GID names one endpoint or one multicast group whatever the address family, so tables key on
// Gid and never on "an IPv4 or an IPv6 address".
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/random.h"
#include "base/result.h"
#include "lambdacast/names.h"

namespace lambdacast::wire {

struct MacAddress {
  std::array<uint8_t, 6> bytes{};
  auto operator<=>(const MacAddress&) const = default;
};

using lambdacast::Gid;

// "52:54:00:77:00:03": six pairs of hexadecimal digits, upper or lower case, joined by colons.
[[nodiscard]] base::Result<MacAddress> parse_mac(std::string_view text);
[[nodiscard]] std::string format(const MacAddress& mac);

// "10.0.0.1" (gives the v4-mapped GID), "::ffff:10.0.0.1", "fd77::1", "ff0e::1:2345:6789".
[[nodiscard]] base::Result<Gid> parse_gid(std::string_view text);
// Shortest text: dotted quad for a v4-mapped GID, RFC 5952 form otherwise. parse_gid reads it back.
[[nodiscard]] std::string format(const Gid& gid);

// `address` in host order: 10.0.0.1 is 0x0a000001.
[[nodiscard]] inline Gid gid_from_ipv4(uint32_t address) {
  Gid gid;
  base::store_be64(&gid.bytes[8], uint64_t{0xffff} << 32 | address);
  return gid;
}

// The first 12 bytes are those of ::ffff:0:0/96 (RFC 4291, 2.5.5.2).
[[nodiscard]] inline bool is_ipv4_mapped(const Gid& gid) {
  return base::load_be64(&gid.bytes[0]) == 0 && base::load_be32(&gid.bytes[8]) == 0x0000ffff;
}

// The IPv4 address in host order; meaningful only if is_ipv4_mapped(gid).
[[nodiscard]] inline uint32_t ipv4_of(const Gid& gid) { return base::load_be32(&gid.bytes[12]); }

// 224.0.0.0/4 for a v4-mapped GID (RFC 5771), ff00::/8 otherwise (RFC 4291, 2.7).
[[nodiscard]] inline bool is_multicast(const Gid& gid) {
  if (gid.bytes[0] == 0xff) return true;
  return (gid.bytes[12] & 0xf0) == 0xe0 && is_ipv4_mapped(gid);
}

// The Ethernet group address of a multicast GID: 01:00:5e and the low 23 bits of an IPv4 group
// (RFC 1112, 6.4), 33:33 and the low 32 bits of an IPv6 group (RFC 2464, 7). Several groups share
// one address, so a MAC filter never stands in for the check of the GID. Needs is_multicast(gid).
[[nodiscard]] MacAddress multicast_mac(const Gid& gid);

// A hash for tables. It has no key: a table that strangers can fill must bound its probes.
[[nodiscard]] inline uint64_t hash(const Gid& gid) {
  return base::mix64(base::load_be64(&gid.bytes[8]) ^ base::mix64(base::load_be64(&gid.bytes[0])));
}

// The hash for std::unordered_map<Gid, T, GidHash>.
struct GidHash {
  [[nodiscard]] size_t operator()(const Gid& gid) const { return hash(gid); }
};

}  // namespace lambdacast::wire
