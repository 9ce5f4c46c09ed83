// SPDX-License-Identifier: BSD-3-Clause
// MLD: queries of versions 1 and 2 read, reports of version 2 (RFC 3810) and, for older queriers,
// of version 1 (RFC 2710) written; IPv6 header and the router alert in its hop-by-hop header
// included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/net/icmpv6.h"
#include "wire/net/membership.h"

namespace lambdacast::wire {

inline constexpr Gid kAllNodes{{0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
inline constexpr Gid kAllRoutersV6{{0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}};
inline constexpr Gid kAllMldRouters{{0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x16}};

inline constexpr size_t kMldHeaderBytes = kIpv6Bytes + kRouterAlertBytes;
inline constexpr size_t kOldMldBytes = kMldHeaderBytes + 24;
[[nodiscard]] constexpr size_t mld_report_bytes(size_t records) {
  return kMldHeaderBytes + 8 + 20 * records;
}

// `packet`: `bytes` from the IPv6 header on. kOther: no query. kMalformed: what a host must ignore:
// not from a link-local address, a hop limit other than 1, no router alert (RFC 3810, 6.2).
[[nodiscard]] Parsed parse_mld_query(const uint8_t* packet, size_t bytes, MembershipQuery& out);

// A version 2 report. Writes mld_report_bytes(records.size()) and returns them. `source` is
// link-local, or routers ignore the report (RFC 3810, 5.2.13).
size_t store_mld_report(const Gid& source, std::span<const MembershipRecord> records,
                        uint8_t* packet);
// A report (kReportV2 or kReportV1: the same) or done of version 1: kOldMldBytes.
size_t store_old_mld(OldMembershipMessage kind, const Gid& source, const Gid& group,
                     uint8_t* packet);

}  // namespace lambdacast::wire
