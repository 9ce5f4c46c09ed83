// SPDX-License-Identifier: BSD-3-Clause
// Random histories of groups (group_history.h).
#include <gtest/gtest.h>

#include <cstdlib>

#include "group_history.h"

namespace lambdacast::group {
namespace {

TEST(GroupProperty, AllMembersHaveOneState) {
  // LAMBDACAST_GROUP_SEEDS=FIRST:COUNT runs others, or FIRST alone runs one.
  uint64_t first = 1, count = 1500;
  if (const char* given = std::getenv("LAMBDACAST_GROUP_SEEDS")) {
    char* end = nullptr;
    first = std::strtoull(given, &end, 10);
    count = *end == ':' ? std::strtoull(end + 1, nullptr, 10) : 1;
  }
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    History(seed).go();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lambdacast::group
