// SPDX-License-Identifier: BSD-3-Clause
#include "base/result.h"

#include <gtest/gtest.h>

namespace lambdacast::base {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return fail("value=" + std::to_string(value) + " is odd");
  return value / 2;
}

TEST(Result, value_expect_it) {
  const auto result = half(4);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 2);
}

TEST(Fail, sentence_expect_it_and_no_value) {
  const auto result = half(3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "value=3 is odd");
}

TEST(Fail, result_of_nothing_expect_it_too) {
  const Result<void> good{};
  const Result<void> bad = fail("no");
  EXPECT_TRUE(good);
  EXPECT_FALSE(bad);
}

}  // namespace
}  // namespace lambdacast::base
