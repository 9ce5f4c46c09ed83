// SPDX-License-Identifier: BSD-3-Clause
// Sets of ranks out of the bits of a number, for tests.
#pragma once

#include "group/members.h"

namespace lambdacast::group {

// Bit i of `bits` stands for rank first + i.
[[nodiscard]] inline NodeSet ranks(uint64_t bits, size_t first = 0) {
  NodeSet set;
  for (size_t i = 0; i < 64; ++i) {
    if ((bits >> i & 1) != 0) set.add(first + i);
  }
  return set;
}

[[nodiscard]] inline Members members_of(uint64_t all, uint64_t waiting, uint64_t unserved,
                                        size_t first = 0) {
  return {ranks(all, first), ranks(waiting, first), ranks(unserved, first)};
}

}  // namespace lambdacast::group
