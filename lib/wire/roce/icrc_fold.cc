// SPDX-License-Identifier: BSD-3-Clause
// Gopal, Ozturk, Guilford et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
// Instruction" (Intel, 2009), bit-reflected. The packet is read backwards-aligned: its last block
// ends with it, and its first block has up to 12 bytes of Ethernet header before it, which count as
// zeros. Zeros before a message change no CRC whose register starts at zero; the seed, as ever, is
// XORed into the message's first four bytes.
#include "wire/roce/icrc_fold.h"

#include <immintrin.h>

#include <algorithm>
#include <array>

#include "wire/roce/crc32.h"
#include "wire/roce/icrc_mask.h"

namespace lambdacast::wire {
namespace {

constexpr size_t kBlockBytes = 16;

// `bytes`, with a block of zeros before and behind them: loading from kBlockBytes - shift on is the
// array moved up by `shift` bytes.
template <size_t kBytes>
using Movable = std::array<uint8_t, kBytes + 2 * kBlockBytes>;

template <size_t kBytes>
constexpr Movable<kBytes> movable(const std::array<uint8_t, kBytes>& bytes) {
  Movable<kBytes> result{};
  std::copy(bytes.begin(), bytes.end(), result.begin() + kBlockBytes);
  return result;
}

constexpr std::array<uint8_t, kBlockBytes> first_bytes(uint32_t word) {
  return {static_cast<uint8_t>(word), static_cast<uint8_t>(word >> 8),
          static_cast<uint8_t>(word >> 16), static_cast<uint8_t>(word >> 24)};
}

constexpr std::array<uint8_t, kBlockBytes> ones() {
  std::array<uint8_t, kBlockBytes> bytes;
  bytes.fill(0xff);
  return bytes;
}

constexpr auto kMovableIpv4Mask = movable(kIpv4Mask);
constexpr auto kMovableIpv6Mask = movable(kIpv6Mask);
constexpr auto kMovableSeed = movable(first_bytes(~kIcrcSeed));
constexpr auto kMovableOnes = movable(ones());

[[gnu::target("pclmul,sse4.1")]] inline __m128i load(const uint8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

// x^(128+32) and x^(128-32), modulo the polynomial, reflected: moves a remainder up by a block.
[[gnu::target("pclmul,sse4.1")]] inline __m128i fold(__m128i remainder, __m128i block) {
  const __m128i k = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  const __m128i low = _mm_clmulepi64_si128(remainder, k, 0x00);
  const __m128i high = _mm_clmulepi64_si128(remainder, k, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), block);
}

// 128 bits of remainder to the CRC: to 64 bits, to 32 and by Barrett's reduction.
[[gnu::target("pclmul,sse4.1")]] inline uint32_t reduce(__m128i x) {
  const __m128i words_0_and_2 = _mm_setr_epi32(~0, 0, ~0, 0);
  const __m128i k4 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, k4, 0x10));
  const __m128i k5 = _mm_set_epi64x(0, 0x163cd6124);
  x = _mm_xor_si128(_mm_srli_si128(x, 4),
                    _mm_clmulepi64_si128(_mm_and_si128(x, words_0_and_2), k5, 0x00));
  const __m128i barrett = _mm_set_epi64x(0x1f7011641, 0x1db710641);
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(x, words_0_and_2), barrett, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, words_0_and_2), barrett, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(x, quotient), 1));
}

template <size_t kMaskBytes>
[[gnu::target("pclmul,sse4.1")]] inline uint32_t fold_packet(
    const uint8_t* l3, size_t bytes, const Movable<kMaskBytes>& movable_mask) {
  const size_t before = (0 - bytes) % kBlockBytes;  // 0, 4, 8 or 12
  const uint8_t* packet = l3 - before;
  const size_t blocks = (before + bytes) / kBlockBytes;
  const size_t moved = kBlockBytes - before;
  const uint8_t* mask = &movable_mask[moved];

  __m128i x = _mm_and_si128(load(packet), load(&kMovableOnes[moved]));
  x = _mm_xor_si128(_mm_or_si128(x, load(mask)), load(&kMovableSeed[moved]));
  size_t i = 1;
  for (const size_t masked = std::min(blocks, kMaskBytes / kBlockBytes + 1); i < masked; ++i) {
    const __m128i block = load(packet + i * kBlockBytes);
    x = fold(x, _mm_or_si128(block, load(mask + i * kBlockBytes)));
  }
  for (; i < blocks; ++i) x = fold(x, load(packet + i * kBlockBytes));
  return ~reduce(x);
}

}  // namespace

bool can_fold() {
  return __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
}

[[gnu::target("pclmul,sse4.1")]] uint32_t icrc_by_folding(const uint8_t* l3, size_t bytes) {
  return l3[0] >> 4 == 4 ? fold_packet<kIpv4HeadBytes>(l3, bytes, kMovableIpv4Mask)
                         : fold_packet<kIpv6HeadBytes>(l3, bytes, kMovableIpv6Mask);
}

}  // namespace lambdacast::wire
