// SPDX-License-Identifier: BSD-3-Clause
#include "rack/incarnation.h"

#include <chrono>

namespace lambdacast::rack {

uint32_t incarnation_now() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count();
  return static_cast<uint32_t>(static_cast<uint64_t>(ns) >> 26);
}

uint32_t incarnation_after(uint32_t last) {
  const uint32_t now = incarnation_now();
  return static_cast<int32_t>(now - last) > 0 ? now : last + 1;
}

}  // namespace lambdacast::rack
