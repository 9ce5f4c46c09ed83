// SPDX-License-Identifier: BSD-3-Clause
// Linked with a library of which one source is patched (patches/): one of the random histories of
// groups must fail.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "group_history.h"

namespace lambdacast::group {
namespace {

TEST(GroupMutation, IsFoundWithinTwentyThousandHistories) {
  constexpr uint64_t kHistories = 20000;
  for (uint64_t seed = 1; seed <= kHistories; ++seed) {
    ::testing::TestPartResultArray failures;
    {
      const ::testing::ScopedFakeTestPartResultReporter reporter(
          ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
      History(seed).go();
    }
    if (failures.size() == 0) continue;
    RecordProperty("seed", std::to_string(seed));
    RecordProperty("found", failures.GetTestPartResult(0).message());
    return;
  }
  ADD_FAILURE() << "no history has found it";
}

}  // namespace
}  // namespace lambdacast::group
