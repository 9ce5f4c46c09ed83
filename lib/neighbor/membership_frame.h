// SPDX-License-Identifier: BSD-3-Clause
// Writes frames about a host's groups: reports and leaves of IGMP or MLD, in any version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "neighbor/group_membership.h"
#include "wire/net/mld.h"
#include "wire/roce/link_header.h"

namespace lambdacast::neighbor {

// The speaker: IGMP comes from `ipv4` (v4-mapped), MLD from `link_local` (RFC 3810, 5.2.13).
struct MembershipSpeaker {
  wire::MacAddress mac;
  std::optional<uint16_t> vlan_tci;
  wire::Gid ipv4;
  wire::Gid link_local;
};

inline constexpr size_t kMaxMembershipFrameBytes =
    18 + wire::mld_report_bytes(GroupMembership::kMaxGroups);

// The message is about groups of one family: that of its first record. Writes at most
// kMaxMembershipFrameBytes and returns how many.
size_t store_membership_frame(const MembershipSpeaker& speaker,
                              const GroupMembership::Message& message, uint8_t* frame);

}  // namespace lambdacast::neighbor
