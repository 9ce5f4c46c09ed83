// SPDX-License-Identifier: BSD-3-Clause
// Unaligned big-endian loads and stores: the only way this code base touches multi-byte wire
// fields. No bit-fields and no struct casts on frames (their layout is the compiler's business).
#pragma once

#include <cstdint>
#include <cstring>

namespace lambdacast::base {

template <typename T>
[[nodiscard]] inline T load_raw(const uint8_t* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <typename T>
inline void store_raw(uint8_t* p, T v) {
  std::memcpy(p, &v, sizeof v);
}

[[nodiscard]] inline uint16_t load_be16(const uint8_t* p) {
  return __builtin_bswap16(load_raw<uint16_t>(p));
}
[[nodiscard]] inline uint32_t load_be24(const uint8_t* p) {
  return uint32_t{p[0]} << 16 | uint32_t{p[1]} << 8 | p[2];
}
[[nodiscard]] inline uint32_t load_be32(const uint8_t* p) {
  return __builtin_bswap32(load_raw<uint32_t>(p));
}
[[nodiscard]] inline uint64_t load_be64(const uint8_t* p) {
  return __builtin_bswap64(load_raw<uint64_t>(p));
}

inline void store_be16(uint8_t* p, uint16_t v) { store_raw(p, __builtin_bswap16(v)); }
inline void store_be24(uint8_t* p, uint32_t v) {
  p[0] = static_cast<uint8_t>(v >> 16);
  p[1] = static_cast<uint8_t>(v >> 8);
  p[2] = static_cast<uint8_t>(v);
}
inline void store_be32(uint8_t* p, uint32_t v) { store_raw(p, __builtin_bswap32(v)); }
inline void store_be64(uint8_t* p, uint64_t v) { store_raw(p, __builtin_bswap64(v)); }

}  // namespace lambdacast::base
