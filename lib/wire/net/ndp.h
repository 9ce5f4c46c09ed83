// SPDX-License-Identifier: BSD-3-Clause
// Neighbor solicitations and advertisements (RFC 4861, 4.3 and 4.4), IPv6 header included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/net/icmpv6.h"

namespace lambdacast::wire {

// IPv6 header, message and one link-layer address option.
inline constexpr size_t kMaxNeighborBytes = kIpv6Bytes + 24 + 8;

struct NeighborMessage {
  bool is_advertisement = false;
  // Advertisements only.
  bool router = false;
  bool solicited = false;
  bool replaces = false;  // the O flag: override

  Gid source;  // unspecified: somebody asks whether the target is free (RFC 4862, 5.4)
  Gid destination;
  Gid target;
  std::optional<MacAddress> link_address;  // the sender's, or the target's in an advertisement
};

// `packet`: `bytes` from the IPv6 header on. kOther: another ICMPv6 message or protocol.
// kMalformed: what RFC 4861, 7.1.1 and 7.1.2 have a node discard: a hop limit other than 255 (the
// packet came from off the link), and so on.
[[nodiscard]] Parsed parse_neighbor(const uint8_t* packet, size_t bytes, NeighborMessage& out);

// Writes at most kMaxNeighborBytes and returns how many.
size_t store_neighbor(const NeighborMessage& message, uint8_t* packet);

}  // namespace lambdacast::wire
