// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/crc32.h"

#include <immintrin.h>
#include <isa-l/crc.h>

namespace lambdacast::wire {
namespace {

const bool kHasAvx = __builtin_cpu_supports("avx") != 0;

[[gnu::target("avx")]] void clear_upper_halves() { _mm256_zeroupper(); }

}  // namespace

// ISA-L leaves the upper halves of the vector registers dirty. Code for a generic processor would
// have to merge with them in every vector instruction from then on: the ICRC by folding takes twice
// its time behind such a call.
uint32_t crc32(uint32_t seed, const uint8_t* data, size_t bytes) {
  const uint32_t crc = crc32_gzip_refl(seed, data, bytes);
  if (kHasAvx) [[likely]]
    clear_upper_halves();
  return crc;
}

}  // namespace lambdacast::wire
