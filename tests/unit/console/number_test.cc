// SPDX-License-Identifier: BSD-3-Clause
#include "console/number.h"

#include <gtest/gtest.h>

namespace lambdacast::console {
namespace {

constexpr uint64_t kMost = ~uint64_t{0};

TEST(NumberTest, read_numbers_as_people_type_them__expect_their_values) {
  EXPECT_EQ(*parse_real("0.001", "V"), 0.001);
  EXPECT_EQ(*parse_real("1e-3", "V"), 0.001);
  EXPECT_EQ(*parse_real("2.5k", "V"), 2500);
  EXPECT_EQ(*parse_whole("250_000", "V", 0, kMost), 250'000u);
  EXPECT_EQ(*parse_whole("250,000", "V", 0, kMost), 250'000u);
  EXPECT_EQ(*parse_whole("40G", "V", 0, kMost), 40'000'000'000u);
  EXPECT_EQ(*parse_whole("1e6", "V", 0, kMost), 1'000'000u);
  EXPECT_EQ(*parse_whole("18446744073709551615", "V", 0, kMost), kMost);
}

TEST(NumberTest, read_what_is_no_number__expect_its_name_and_itself) {
  for (const char* text : {"", "abc", "1x", "k", "--1", "nan", "inf", "1e999", "0x10"}) {
    const auto number = parse_real(text, "VALUE");
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().message, std::string("VALUE: ") + text + " is not a number");
    EXPECT_FALSE(parse_whole(text, "VALUE", 0, kMost)) << text;
  }
}

TEST(NumberTest, read_numbers_out_of_range__expect_what_is_allowed) {
  EXPECT_EQ(parse_whole("1.5", "PPS", 0, 9).error().message, "PPS: 1.5 is not a whole number");
  EXPECT_EQ(parse_whole("-1", "PPS", 0, 9).error().message, "PPS: -1 is not a whole number");
  EXPECT_EQ(parse_whole("1e30", "PPS", 0, kMost).error().message,
            "PPS: 1e30 is not a whole number");
  EXPECT_EQ(parse_whole("2000", "PPS", 1, 1000).error().message,
            "PPS: 2000 is not allowed; allowed: 1 to 1,000");
  EXPECT_EQ(*parse_whole("1000", "PPS", 1, 1000), 1000u);
}

}  // namespace
}  // namespace lambdacast::console
