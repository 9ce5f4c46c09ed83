// SPDX-License-Identifier: BSD-3-Clause
#include "config/rule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lambdacast::config {
namespace {

Value integer(int64_t v) { return v; }
Value text_value(const char* v) { return std::string(v); }

TEST(Rule, range_includes_its_bounds) {
  const Rule rule = Range{2, 0xfffffe, true};
  EXPECT_TRUE(admits(rule, integer(2)));
  EXPECT_TRUE(admits(rule, integer(0xfffffe)));
  EXPECT_FALSE(admits(rule, integer(1)));
  EXPECT_FALSE(admits(rule, integer(0xffffff)));
  EXPECT_FALSE(admits(rule, integer(INT64_MIN)));
  EXPECT_EQ(describe(rule, ""), "2..0xfffffe");
  EXPECT_EQ(describe(Range{1, 256}, "packets"), "1..256 packets");
}

TEST(Rule, power_of_two) {
  const Rule rule = PowerOfTwo{64, 65536};
  EXPECT_TRUE(admits(rule, integer(64)));
  EXPECT_TRUE(admits(rule, integer(65536)));
  for (int64_t bad : {32l, 65l, 96l, 131072l, 0l, -64l}) EXPECT_FALSE(admits(rule, integer(bad)));
  EXPECT_EQ(describe(rule, "packets"), "a power of two, 64..65536 packets");
}

TEST(Rule, one_of) {
  const Rule rule = OneOf{{256, 512, 1024}};
  EXPECT_TRUE(admits(rule, integer(512)));
  EXPECT_FALSE(admits(rule, integer(768)));
  EXPECT_EQ(describe(rule, "bytes"), "256, 512 or 1024 bytes");
}

TEST(Rule, real_range_refuses_nan) {
  const Rule rule = RealRange{0, 1};
  EXPECT_TRUE(admits(rule, Value(0.0)));
  EXPECT_TRUE(admits(rule, Value(1.0)));
  for (double bad : {-1e-9, 1.0000001, std::nan(""), HUGE_VAL})
    EXPECT_FALSE(admits(rule, Value(bad)));
  EXPECT_EQ(describe(rule, ""), "0..1");
}

TEST(Rule, words) {
  const Rule rule = Words{{"spin", "pause", "sleep"}};
  EXPECT_TRUE(admits(rule, text_value("pause")));
  EXPECT_FALSE(admits(rule, text_value("Pause")));
  EXPECT_FALSE(admits(rule, text_value("")));
  EXPECT_EQ(describe(rule, ""), "\"spin\", \"pause\" or \"sleep\"");
  EXPECT_EQ(describe(Words{{"unreliable"}}, ""), "\"unreliable\"");
}

TEST(Rule, integer_list) {
  const Rule rule = IntegerList{{1, 9}, 3};
  using List = std::vector<int64_t>;
  EXPECT_TRUE(admits(rule, Value(List{})));
  EXPECT_TRUE(admits(rule, Value(List{1, 9, 5})));
  EXPECT_FALSE(admits(rule, Value(List{1, 2, 3, 4})));
  EXPECT_FALSE(admits(rule, Value(List{1, 1})));
  EXPECT_FALSE(admits(rule, Value(List{0})));
  EXPECT_EQ(describe(rule, ""), "at most 3 of 1..9, none twice");
}

TEST(Rule, text_list) {
  const Rule rule = TextList{{[](std::string_view s) { return !s.empty(); }, "not empty"}, 2};
  using List = std::vector<std::string>;
  EXPECT_TRUE(admits(rule, Value(List{"a", "b"})));
  EXPECT_FALSE(admits(rule, Value(List{"a", ""})));
  EXPECT_FALSE(admits(rule, Value(List{"a", "b", "c"})));
  EXPECT_EQ(describe(rule, ""), "at most 2, each not empty");
}

}  // namespace
}  // namespace lambdacast::config
