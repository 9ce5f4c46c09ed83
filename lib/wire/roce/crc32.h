// SPDX-License-Identifier: BSD-3-Clause
// CRC-32 (ISO-HDLC: reflected, polynomial 0xEDB88320, final value inverted, as zlib's crc32).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lambdacast::wire {

// Start with seed 0; the result of one part is the seed of the next.
[[nodiscard]] uint32_t crc32(uint32_t seed, const uint8_t* data, size_t bytes);

// The CRC of so many bytes of ones, at compile time, for constants.
[[nodiscard]] constexpr uint32_t crc32_of_ones(size_t bytes) {
  constexpr uint32_t kPolynomial = 0xedb88320;
  uint32_t crc = ~uint32_t{0};
  for (size_t bit = 0; bit < 8 * bytes; ++bit) {
    crc ^= 1;
    crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
  }
  return ~crc;
}

// The 8 bytes that stand for the LRH are the same in every frame, so their CRC is the ICRC's seed.
inline constexpr uint32_t kIcrcSeed = crc32_of_ones(8);

}  // namespace lambdacast::wire
