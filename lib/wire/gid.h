// RoCEv2 global identifiers: a GID is an IPv6 address, an IPv4 endpoint has its v4-mapped form
// ::ffff:a.b.c.d (IBTA annex A17, RoCEv2). 16 bytes in network order.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lambdacast::wire {

struct MacAddress {
  std::array<uint8_t, 6> bytes{};
  auto operator<=>(const MacAddress&) const = default;
};

struct Gid {
  std::array<uint8_t, 16> bytes{};
  auto operator<=>(const Gid&) const = default;
};

}  // namespace lambdacast::wire
