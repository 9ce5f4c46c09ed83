// SPDX-License-Identifier: BSD-3-Clause
// Names of nodes and groups, in plain C++, which applications include without the rest of the tree.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace lambdacast {

// A group's name is UTF-8 of 1 to this many bytes, without controls: neither those of ASCII nor
// U+0080 to U+009F, nor separators of lines, nor marks that turn the direction of writing.
inline constexpr size_t kMaxGroupNameBytes = 63;

// A RoCEv2 global identifier is an IPv6 address in network order. An IPv4 address a.b.c.d has its
// v4-mapped form ::ffff:a.b.c.d (IBTA annex A17).
struct Gid {
  std::array<uint8_t, 16> bytes{};
  auto operator<=>(const Gid&) const = default;
};

// The name of one incarnation of an endpoint, and of the stream that it sends. An endpoint that
// comes back has another incarnation.
struct NodeName {
  Gid gid;
  uint32_t qpn = 0;  // of its data queue pair, 24 bits
  uint32_t incarnation = 0;
  bool operator==(const NodeName&) const = default;
};

// Orders names by GID, then by QPN, then by incarnation.
[[nodiscard]] constexpr bool name_before(const NodeName& a, const NodeName& b) {
  if (a.gid != b.gid) return a.gid < b.gid;
  if (a.qpn != b.qpn) return a.qpn < b.qpn;
  return a.incarnation < b.incarnation;
}

}  // namespace lambdacast
