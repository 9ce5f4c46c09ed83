// SPDX-License-Identifier: BSD-3-Clause
// InfiniBand transport headers as values: the base transport header (IBTA vol. 1, 9.2) and the
// datagram extended transport header (9.3).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace lambdacast::wire {

inline constexpr size_t kBthBytes = 12;
inline constexpr size_t kDethBytes = 8;
inline constexpr size_t kImmediateBytes = 4;
inline constexpr uint16_t kDefaultPkey = 0xffff;     // the default partition, full member
inline constexpr uint32_t kMulticastQpn = 0xffffff;  // every multicast frame's destination

struct Bth {
  uint8_t opcode = 0;
  bool solicited = false;
  bool migration_request = false;
  uint8_t pad_bytes = 0;  // 0 ... 3, behind the payload
  uint8_t version = 0;    // TVer, 4 bits, 0
  uint16_t pkey = kDefaultPkey;
  bool fecn = false;
  bool becn = false;
  uint32_t destination_qpn = 0;  // 24 bits
  bool ack_request = false;
  uint32_t psn = 0;  // 24 bits
};

[[nodiscard]] inline Bth load_bth(const uint8_t* p) {
  Bth h;
  h.opcode = p[0];
  h.solicited = (p[1] & 0x80) != 0;
  h.migration_request = (p[1] & 0x40) != 0;
  h.pad_bytes = (p[1] >> 4) & 3;
  h.version = p[1] & 0x0f;
  h.pkey = base::load_be16(p + 2);
  h.fecn = (p[4] & 0x80) != 0;
  h.becn = (p[4] & 0x40) != 0;
  h.destination_qpn = base::load_be24(p + 5);
  h.ack_request = (p[8] & 0x80) != 0;
  h.psn = base::load_be24(p + 9);
  return h;
}

// Byte 1 of the BTH, the one that depends on the payload's length.
[[nodiscard]] constexpr uint8_t bth_flags(bool solicited, bool migration_request, size_t pad_bytes,
                                          uint8_t version) {
  return static_cast<uint8_t>((solicited ? 0x80u : 0u) | (migration_request ? 0x40u : 0u) |
                              (pad_bytes & 3) << 4 | (version & 0x0fu));
}

// Writes kBthBytes, reserved bits zero.
inline void store_bth(const Bth& h, uint8_t* p) {
  p[0] = h.opcode;
  p[1] = bth_flags(h.solicited, h.migration_request, h.pad_bytes, h.version);
  base::store_be16(p + 2, h.pkey);
  p[4] = static_cast<uint8_t>((h.fecn ? 0x80u : 0u) | (h.becn ? 0x40u : 0u));
  base::store_be24(p + 5, h.destination_qpn);
  p[8] = h.ack_request ? 0x80 : 0;
  base::store_be24(p + 9, h.psn);
}

struct Deth {
  uint32_t qkey = 0;
  uint32_t source_qpn = 0;  // 24 bits
};

[[nodiscard]] inline Deth load_deth(const uint8_t* p) {
  return {base::load_be32(p), base::load_be24(p + 5)};
}

// Writes kDethBytes.
inline void store_deth(const Deth& h, uint8_t* p) {
  base::store_be32(p, h.qkey);
  base::store_be32(p + 4, h.source_qpn & 0xffffff);
}

}  // namespace lambdacast::wire
