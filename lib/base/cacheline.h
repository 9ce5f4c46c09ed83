// SPDX-License-Identifier: BSD-3-Clause
// Sizes that layout decisions depend on.
#pragma once

#include <cstddef>

namespace lambdacast::base {

inline constexpr std::size_t kCacheLineBytes = 64;
// Intel's spatial prefetcher fetches lines in aligned pairs: two writers must stay this far apart.
inline constexpr std::size_t kCacheLinePairBytes = 128;

}  // namespace lambdacast::base
