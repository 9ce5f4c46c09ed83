// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/crc32.h"

#include <isa-l/crc.h>

namespace lambdacast::wire {

uint32_t crc32(uint32_t seed, const uint8_t* data, size_t bytes) {
  return crc32_gzip_refl(seed, data, bytes);
}

}  // namespace lambdacast::wire
