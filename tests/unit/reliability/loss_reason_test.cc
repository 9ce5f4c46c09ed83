// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/loss_reason.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lambdacast::reliability {
namespace {

TEST(LossReason, name_each__expect_distinct_snake_case) {
  std::set<std::string> names;
  for (size_t i = 0; i < kLossReasons; ++i) {
    const std::string text = name(static_cast<LossReason>(i));
    EXPECT_EQ(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos) << text;
    EXPECT_TRUE(names.insert(text).second) << text;
  }
  EXPECT_FALSE(names.contains("invalid"));
}

TEST(LossReason, name_what_is_none__expect_invalid) {
  EXPECT_STREQ(name(LossReason::kCount), "invalid");
  EXPECT_STREQ(name(static_cast<LossReason>(200)), "invalid");
}

}  // namespace
}  // namespace lambdacast::reliability
