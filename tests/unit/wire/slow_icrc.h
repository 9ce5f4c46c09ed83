// SPDX-License-Identifier: BSD-3-Clause
// CRC-32 and ICRC as their definitions have them, bit by bit and word by word: what every
// implementation has to equal.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "unit/wire/example_frame.h"
#include "wire/roce/frame.h"
#include "wire/roce/icrc.h"

namespace lambdacast::wire {

inline uint32_t slow_crc32(uint32_t seed, const uint8_t* data, size_t bytes) {
  uint32_t crc = ~seed;
  for (size_t i = 0; i < bytes; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

struct Packet {
  std::vector<uint8_t> frame;
  FrameView view;
  uint32_t icrc_now() const { return icrc(frame.data(), view.l3_offset, view.icrc_offset); }
};

inline Packet packet(bool ipv6, size_t payload_bytes) {
  Packet p{bytes_of(example_fields(ipv6), payload_bytes), {}};
  EXPECT_EQ(parse_frame(p.frame.data(), p.frame.size(), p.view), counters::DropReason::kNone);
  return p;
}

// Ones in the place of the LRH, the packet with its variant fields set to ones; the rule in words.
inline uint32_t slow_icrc(const Packet& p) {
  std::vector<uint8_t> covered(8, 0xff);
  covered.insert(covered.end(), p.frame.begin() + p.view.l3_offset,
                 p.frame.begin() + p.view.icrc_offset);
  uint8_t* ip = &covered[8];
  if (p.view.is_ipv6) {
    ip[0] |= 0x0f;
    ip[1] = ip[2] = ip[3] = ip[7] = 0xff;
  } else {
    ip[1] = ip[8] = ip[10] = ip[11] = 0xff;
  }
  uint8_t* udp = ip + (p.view.is_ipv6 ? 40 : 20);
  udp[6] = udp[7] = udp[8 + 4] = 0xff;
  return slow_crc32(0, covered.data(), covered.size());
}

}  // namespace lambdacast::wire
