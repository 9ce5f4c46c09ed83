// SPDX-License-Identifier: BSD-3-Clause
// Gives a group's number and its multicast GID from its name.
//
// The number of a name is the first free one of a sequence that the name alone determines.
// Registrations come in one order at all endpoints, so all give the same numbers, and two names
// never share one.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/random.h"
#include "wire/control/group_message.h"
#include "wire/roce/gid.h"

namespace lambdacast::group {

inline constexpr uint32_t kNoGroup = 0;  // no named group has it

// FNV-1a, whose high bits mix64 makes as good as its low ones.
[[nodiscard]] inline uint64_t hash_name(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return base::mix64(hash);
}

// The number that a name of that hash asks for after `attempt` collisions.
[[nodiscard]] inline uint32_t numbered(uint64_t hash, uint32_t attempt) {
  const uint64_t drawn = attempt == 0 ? hash : base::mix64(hash + attempt);
  return wire::kFirstNamedGroup + static_cast<uint32_t>(drawn % wire::kNamedGroups);
}

// ff15::4d:NNNN:NNNN, a transient group of site-local scope (RFC 4291, 2.7), as the fabric's own
// default address is. Verbs programs attach to it. Our frames all go to the fabric's address,
// because one recovery state a sender needs that all endpoints hear all frames (doc/design.md).
[[nodiscard]] inline wire::Gid multicast_gid(uint32_t number) {
  wire::Gid gid;
  gid.bytes[0] = 0xff;
  gid.bytes[1] = 0x15;
  gid.bytes[11] = 0x4d;
  base::store_be32(&gid.bytes[12], number);
  return gid;
}

}  // namespace lambdacast::group
