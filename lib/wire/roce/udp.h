// SPDX-License-Identifier: BSD-3-Clause
// UDP header (RFC 768) as a value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace lambdacast::wire {

inline constexpr size_t kUdpBytes = 8;
inline constexpr uint16_t kRocePort = 4791;  // IANA "roce", IBTA annex A17

struct UdpHeader {
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint16_t length_bytes = 0;  // this header included
  uint16_t checksum = 0;      // RoCEv2 sends 0 and ignores it: the ICRC protects more
};

[[nodiscard]] inline UdpHeader load_udp(const uint8_t* p) {
  return {base::load_be16(p), base::load_be16(p + 2), base::load_be16(p + 4),
          base::load_be16(p + 6)};
}

inline void store_udp(const UdpHeader& h, uint8_t* p) {
  base::store_be16(p, h.source_port);
  base::store_be16(p + 2, h.destination_port);
  base::store_be16(p + 4, h.length_bytes);
  base::store_be16(p + 6, h.checksum);
}

}  // namespace lambdacast::wire
