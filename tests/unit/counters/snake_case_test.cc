// SPDX-License-Identifier: BSD-3-Clause
#include "counters/snake_case.h"

#include <gtest/gtest.h>

namespace lambdacast::counters {
namespace {

TEST(SnakeCase, camel_case__expect_underscores_before_capitals) {
  EXPECT_STREQ(snake_case("BadIcrc").data(), "bad_icrc");
  EXPECT_STREQ(snake_case("None").data(), "none");
  EXPECT_STREQ(snake_case("Ipv6MappedAddress").data(), "ipv6_mapped_address");
}

}  // namespace
}  // namespace lambdacast::counters
