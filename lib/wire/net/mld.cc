// SPDX-License-Identifier: BSD-3-Clause
#include "wire/net/mld.h"

#include <cstring>

namespace lambdacast::wire {
namespace {

constexpr uint8_t kQuery = 130;
constexpr uint8_t kReportV1 = 131;
constexpr uint8_t kDone = 132;
constexpr uint8_t kReportV2 = 143;
constexpr uint8_t kHopLimit = 1;
constexpr size_t kGroupAt = 8;
constexpr size_t kQueryV1Bytes = 24;
constexpr size_t kQueryV2Bytes = 28;  // without sources
constexpr size_t kReportHeadBytes = 8;
constexpr size_t kRecordBytes = 20;

Ipv6Header header(const Gid& source, const Gid& destination) {
  Ipv6Header ip;
  ip.source = source;
  ip.destination = destination;
  ip.hop_limit = kHopLimit;
  return ip;
}

void read_query(const uint8_t* p, size_t bytes, MembershipQuery& out) {
  out = MembershipQuery{};
  std::memcpy(out.group.bytes.data(), p + kGroupAt, out.group.bytes.size());
  const uint16_t code = base::load_be16(p + 4);
  if (bytes >= kQueryV2Bytes) {
    out.max_response_ms = decode_time_code(code, 12);
    out.robustness = p[24] & 7;
    out.interval_s = static_cast<uint16_t>(decode_time_code(p[25], 4));
  } else {
    out.version = MembershipVersion::kV2;
    out.max_response_ms = code;
  }
}

}  // namespace

Parsed parse_mld_query(const uint8_t* packet, size_t bytes, MembershipQuery& out) {
  Icmpv6View view;
  if (const Parsed parsed = parse_icmpv6(packet, bytes, view); parsed != Parsed::kMessage) {
    return parsed;
  }
  if (view.message[0] != kQuery) return Parsed::kOther;
  const bool right_length =
      view.message_bytes == kQueryV1Bytes || view.message_bytes >= kQueryV2Bytes;
  if (!right_length || !is_link_local(view.ip.source) || view.ip.hop_limit != kHopLimit ||
      !view.router_alert) {
    return Parsed::kMalformed;
  }
  read_query(view.message, view.message_bytes, out);
  if (out.general()) {
    return view.ip.destination == kAllNodes ? Parsed::kMessage : Parsed::kMalformed;
  }
  return is_multicast(out.group) ? Parsed::kMessage : Parsed::kMalformed;
}

size_t store_mld_report(const Gid& source, std::span<const MembershipRecord> records,
                        uint8_t* packet) {
  uint8_t* p = packet + kMldHeaderBytes;
  const size_t bytes = kReportHeadBytes + kRecordBytes * records.size();
  std::memset(p, 0, bytes);
  p[0] = kReportV2;
  base::store_be16(p + 6, static_cast<uint16_t>(records.size()));
  uint8_t* at = p + kReportHeadBytes;
  for (const MembershipRecord& record : records) {
    at[0] = static_cast<uint8_t>(record.type);
    std::memcpy(at + 4, record.group.bytes.data(), record.group.bytes.size());
    at += kRecordBytes;
  }
  return seal_icmpv6(header(source, kAllMldRouters), true, bytes, packet);
}

size_t store_old_mld(OldMembershipMessage kind, const Gid& source, const Gid& group,
                     uint8_t* packet) {
  const bool leaves = kind == OldMembershipMessage::kLeave;
  uint8_t* p = packet + kMldHeaderBytes;
  std::memset(p, 0, kQueryV1Bytes);
  p[0] = leaves ? kDone : kReportV1;
  std::memcpy(p + kGroupAt, group.bytes.data(), group.bytes.size());
  return seal_icmpv6(header(source, leaves ? kAllRoutersV6 : group), true, kQueryV1Bytes, packet);
}

}  // namespace lambdacast::wire
