// SPDX-License-Identifier: BSD-3-Clause
// The random wait before a NACK, for networks with many receivers and no designated NACKers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lambdacast::reliability {

// RFC 5401, 5.3: a truncated exponential, so that few of many receivers ask early.
[[nodiscard]] inline uint64_t random_backoff_ns(uint64_t most_ns, size_t receivers,
                                                uint64_t random) {
  if (most_ns == 0) return 0;
  const double lambda = std::log(static_cast<double>(std::max<size_t>(receivers, 1))) + 1;
  const double most = static_cast<double>(most_ns);
  const double uniform = static_cast<double>(random >> 11) * 0x1p-53;
  const double x = uniform * (lambda / most) + lambda / (most * (std::exp(lambda) - 1));
  const double wait = most / lambda * std::log(x * (std::exp(lambda) - 1) * (most / lambda));
  return static_cast<uint64_t>(std::clamp(wait, 0.0, most));
}

}  // namespace lambdacast::reliability
