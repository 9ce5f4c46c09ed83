// SPDX-License-Identifier: BSD-3-Clause
// Names of nodes and groups. Plain C++: applications include it without the rest of the tree.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace lambdacast {

// A group's name has 1 to this many bytes, UTF-8 for instance, none of them an ASCII control
// character.
inline constexpr size_t kMaxGroupNameBytes = 63;

// A RoCEv2 global identifier: an IPv6 address in network order; an IPv4 address a.b.c.d has its
// v4-mapped form ::ffff:a.b.c.d (IBTA annex A17, RoCEv2).
struct Gid {
  std::array<uint8_t, 16> bytes{};
  auto operator<=>(const Gid&) const = default;
};

// One incarnation of an endpoint, and the stream that it sends: an endpoint that comes back has
// another incarnation.
struct NodeName {
  Gid gid;
  uint32_t qpn = 0;  // of its data queue pair, 24 bits
  uint32_t incarnation = 0;
  bool operator==(const NodeName&) const = default;
};

// A total order of names: by GID, then QPN, then incarnation.
[[nodiscard]] constexpr bool name_before(const NodeName& a, const NodeName& b) {
  if (a.gid != b.gid) return a.gid < b.gid;
  if (a.qpn != b.qpn) return a.qpn < b.qpn;
  return a.incarnation < b.incarnation;
}

}  // namespace lambdacast
