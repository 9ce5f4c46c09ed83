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

}  // namespace
}  // namespace lambdacast::wire

#define LAMBDACAST_FOLD_NAME by_sse
#define LAMBDACAST_FOLD_TARGET "pclmul,sse4.1"
#include "wire/roce/icrc_fold_code.inc"
#undef LAMBDACAST_FOLD_NAME
#undef LAMBDACAST_FOLD_TARGET

#define LAMBDACAST_FOLD_NAME by_avx
#define LAMBDACAST_FOLD_TARGET "pclmul,avx"
#include "wire/roce/icrc_fold_code.inc"
#undef LAMBDACAST_FOLD_NAME
#undef LAMBDACAST_FOLD_TARGET

namespace lambdacast::wire {

std::span<const IcrcMethod> folding_methods() {
  // With three operands an instruction, AVX needs a fifth less of the time.
  static constexpr std::array<IcrcMethod, 2> kBoth = {{
      {"folding", SIZE_MAX, by_sse::icrc},
      {"AVX folding", SIZE_MAX, by_avx::icrc},
  }};
  if (__builtin_cpu_supports("pclmul") == 0 || __builtin_cpu_supports("sse4.1") == 0) return {};
  return std::span(kBoth).first(__builtin_cpu_supports("avx") != 0 ? 2 : 1);
}

}  // namespace lambdacast::wire
