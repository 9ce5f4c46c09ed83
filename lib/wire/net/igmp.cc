// SPDX-License-Identifier: BSD-3-Clause
#include "wire/net/igmp.h"

#include <array>
#include <cstring>

#include "wire/roce/ip.h"

namespace lambdacast::wire {
namespace {

constexpr uint8_t kQuery = 0x11;
constexpr uint8_t kReportV1 = 0x12;
constexpr uint8_t kReportV2 = 0x16;
constexpr uint8_t kLeave = 0x17;
constexpr uint8_t kReportV3 = 0x22;
constexpr size_t kShortBytes = 8;     // versions 1 and 2, and what all have
constexpr size_t kQueryV3Bytes = 12;  // without sources
constexpr size_t kRecordBytes = 8;
constexpr uint8_t kTosInternetControl = 0xc0;  // RFC 3376, 4
constexpr std::array<uint8_t, 4> kRouterAlert = {0x94, 4, 0, 0};
constexpr uint32_t kDefaultResponseMs = 10'000;  // of version 1, which tells none (RFC 2236, 4)

uint16_t checksum(const uint8_t* p, size_t bytes) {
  return static_cast<uint16_t>(~fold_sum(internet_sum(p, bytes)));
}

// IPv4 header with router alert around the `igmp_bytes` that stand behind it, and both checksums.
size_t seal(const Gid& source, uint32_t destination, size_t igmp_bytes, uint8_t* packet) {
  Ipv4Header ip;
  ip.tos = kTosInternetControl;
  ip.total_bytes = static_cast<uint16_t>(kIgmpHeaderBytes + igmp_bytes);
  ip.dont_fragment = true;
  ip.ttl = 1;
  ip.protocol = kIpProtocolIgmp;
  ip.source = ipv4_of(source);
  ip.destination = destination;
  store_ipv4(ip, packet);
  packet[0] = 0x40 | kIgmpHeaderBytes / 4;
  std::memcpy(packet + kIpv4Bytes, kRouterAlert.data(), kRouterAlert.size());
  base::store_be16(packet + 10, 0);
  base::store_be16(packet + 10, checksum(packet, kIgmpHeaderBytes));
  uint8_t* igmp = packet + kIgmpHeaderBytes;
  base::store_be16(igmp + 2, 0);
  base::store_be16(igmp + 2, checksum(igmp, igmp_bytes));
  return ip.total_bytes;
}

void read_query(const uint8_t* igmp, size_t bytes, MembershipQuery& out) {
  out = MembershipQuery{};
  const uint32_t group = base::load_be32(igmp + 4);
  if (group != 0) out.group = gid_from_ipv4(group);
  if (bytes >= kQueryV3Bytes) {
    out.max_response_ms = decode_time_code(igmp[1], 4) * 100;
    out.robustness = igmp[8] & 7;
    out.interval_s = static_cast<uint16_t>(decode_time_code(igmp[9], 4));
  } else {
    out.version = igmp[1] == 0 ? MembershipVersion::kV1 : MembershipVersion::kV2;
    out.max_response_ms = igmp[1] == 0 ? kDefaultResponseMs : igmp[1] * 100u;
  }
}

}  // namespace

Parsed parse_igmp_query(const uint8_t* packet, size_t bytes, MembershipQuery& out) {
  if (bytes < kIpv4Bytes) return Parsed::kMalformed;
  const Ipv4Header ip = load_ipv4(packet);
  if (ip.version != 4 || ip.header_bytes < kIpv4Bytes || ip.total_bytes < ip.header_bytes ||
      ip.total_bytes > bytes || fold_sum(internet_sum(packet, ip.header_bytes)) != 0xffff) {
    return Parsed::kMalformed;
  }
  if (ip.protocol != kIpProtocolIgmp) return Parsed::kOther;
  const uint8_t* igmp = packet + ip.header_bytes;
  const size_t igmp_bytes = ip.total_bytes - ip.header_bytes;
  if (igmp_bytes < kShortBytes || igmp_bytes % 2 != 0 || ip.is_fragment) return Parsed::kMalformed;
  if (fold_sum(internet_sum(igmp, igmp_bytes)) != 0xffff) return Parsed::kMalformed;
  if (igmp[0] != kQuery) return Parsed::kOther;
  // Nine to eleven bytes are of no version (RFC 3376, 7.1).
  if (igmp_bytes > kShortBytes && igmp_bytes < kQueryV3Bytes) return Parsed::kMalformed;
  read_query(igmp, igmp_bytes, out);
  if (out.general()) return ip.destination == kAllHosts ? Parsed::kMessage : Parsed::kMalformed;
  return is_multicast(out.group) ? Parsed::kMessage : Parsed::kMalformed;
}

size_t store_igmp_report(const Gid& source, std::span<const MembershipRecord> records,
                         uint8_t* packet) {
  uint8_t* igmp = packet + kIgmpHeaderBytes;
  std::memset(igmp, 0, kShortBytes + kRecordBytes * records.size());
  igmp[0] = kReportV3;
  base::store_be16(igmp + 6, static_cast<uint16_t>(records.size()));
  uint8_t* at = igmp + kShortBytes;
  for (const MembershipRecord& record : records) {
    at[0] = static_cast<uint8_t>(record.type);
    base::store_be32(at + 4, ipv4_of(record.group));
    at += kRecordBytes;
  }
  return seal(source, kAllIgmpRouters, kShortBytes + kRecordBytes * records.size(), packet);
}

size_t store_old_igmp(OldMembershipMessage kind, const Gid& source, const Gid& group,
                      uint8_t* packet) {
  uint8_t* igmp = packet + kIgmpHeaderBytes;
  std::memset(igmp, 0, kShortBytes);
  const bool leaves = kind == OldMembershipMessage::kLeave;
  igmp[0] = leaves ? kLeave : kind == OldMembershipMessage::kReportV1 ? kReportV1 : kReportV2;
  base::store_be32(igmp + 4, ipv4_of(group));
  return seal(source, leaves ? kAllRouters : ipv4_of(group), kShortBytes, packet);
}

MacAddress igmp_destination(const uint8_t* packet) {
  return multicast_mac(gid_from_ipv4(load_ipv4(packet).destination));
}

}  // namespace lambdacast::wire
