// SPDX-License-Identifier: BSD-3-Clause
// Group membership of IGMP (IPv4) and MLD (IPv6) in one form: MLDv2 is IGMPv3 with longer
// addresses (RFC 3810, 1), MLDv1 is IGMPv2.
#pragma once

#include <cstdint>

#include "wire/roce/gid.h"

namespace lambdacast::wire {

// The version of the querier that sent a query. A host answers in the oldest version that it hears
// (RFC 3376, 7.2.1). IGMP has all three; MLDv1 is kV2 and MLDv2 is kV3.
enum class MembershipVersion : uint8_t { kV1 = 1, kV2 = 2, kV3 = 3 };

struct MembershipQuery {
  MembershipVersion version = MembershipVersion::kV3;
  Gid group;  // Gid{}: a general query, about all groups
  uint32_t max_response_ms = 0;
  uint8_t robustness = 0;   // the querier's variable; 0: not told
  uint16_t interval_s = 0;  // the querier's query interval; 0: not told
  [[nodiscard]] bool general() const { return group == Gid{}; }
};

// A record of a version 3 report, about any source: no source list (RFC 3376, 4.2.12).
enum class RecordType : uint8_t {
  kIsExclude = 2,  // current state: joined
  kToInclude = 3,  // left
  kToExclude = 4,  // joined just now
};

struct MembershipRecord {
  RecordType type = RecordType::kIsExclude;
  Gid group;
};

// A message of a host in the versions before 3.
enum class OldMembershipMessage : uint8_t { kReportV1, kReportV2, kLeave };

// The floating-point code of response times and intervals: exponent of 3 bits and mantissa, of
// 4 bits behind a leading 1 in an IGMPv3 byte, of 12 in an MLDv2 word (RFC 3376, 4.1.1).
[[nodiscard]] constexpr uint32_t decode_time_code(uint32_t code, unsigned mantissa_bits) {
  const uint32_t first_float = 1u << (mantissa_bits + 3);
  if (code < first_float) return code;
  const uint32_t exponent = (code >> mantissa_bits) & 7;
  const uint32_t mantissa = (code & ((1u << mantissa_bits) - 1)) | 1u << mantissa_bits;
  return mantissa << (exponent + 3);
}

}  // namespace lambdacast::wire
