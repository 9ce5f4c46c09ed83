// SPDX-License-Identifier: BSD-3-Clause
// IGMP: queries of versions 1 to 3 read, reports of version 3 (RFC 3376) and, for older queriers,
// of 1 and 2 (RFC 1112, 2236) written; IPv4 header with its router alert (RFC 2113) included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/net/membership.h"
#include "wire/roce/link_header.h"

namespace lambdacast::wire {

inline constexpr uint8_t kIpProtocolIgmp = 2;
inline constexpr uint32_t kAllHosts = 0xe0000001;        // 224.0.0.1, where general queries go
inline constexpr uint32_t kAllRouters = 0xe0000002;      // 224.0.0.2, where IGMPv2 leaves go
inline constexpr uint32_t kAllIgmpRouters = 0xe0000016;  // 224.0.0.22, where reports go

// IPv4 header with router alert.
inline constexpr size_t kIgmpHeaderBytes = 24;
[[nodiscard]] constexpr size_t igmp_report_bytes(size_t records) {
  return kIgmpHeaderBytes + 8 + 8 * records;
}

// `packet`: `bytes` from the IPv4 header on. kOther: no query. kMalformed: a checksum or a length
// is wrong, or a general query that is not to all hosts.
[[nodiscard]] Parsed parse_igmp_query(const uint8_t* packet, size_t bytes, MembershipQuery& out);

// A version 3 report. Writes igmp_report_bytes(records.size()) and returns them. `source` is
// v4-mapped, as are the groups.
size_t store_igmp_report(const Gid& source, std::span<const MembershipRecord> records,
                         uint8_t* packet);
// A report or leave of version 1 or 2: igmp_report_bytes(0).
size_t store_old_igmp(OldMembershipMessage kind, const Gid& source, const Gid& group,
                      uint8_t* packet);

// Where a packet written by one of these goes: the group MAC of its destination address.
[[nodiscard]] MacAddress igmp_destination(const uint8_t* packet);

}  // namespace lambdacast::wire
