// SPDX-License-Identifier: BSD-3-Clause
#include "config/report.h"

#include <gtest/gtest.h>

namespace lambdacast::config {
namespace {

Origin at(unsigned line, const char* key, const char* value = "", bool valid = true) {
  return {line, key, value, valid};
}

TEST(Problem, text_leaves_out_what_it_has_not) {
  Problem problem;
  problem.file = "f.toml";
  problem.reason = "is wrong";
  EXPECT_EQ(problem.text(), "f.toml: is wrong");
  problem.line = 3;
  EXPECT_EQ(problem.text(), "f.toml:3: is wrong");
  problem.column = 7;
  EXPECT_EQ(problem.text(), "f.toml:3:7: is wrong");
  problem.column = 0;
  problem.key = "endpoint.burst";
  EXPECT_EQ(problem.text(), "f.toml:3: endpoint.burst: is wrong");
  problem.value = "300";
  problem.allowed = "1..256 packets";
  EXPECT_EQ(problem.text(), "f.toml:3: endpoint.burst: 300 is wrong; allowed: 1..256 packets");
}

TEST(Report, orders_by_line_and_says_each_once) {
  Report report("f");
  EXPECT_TRUE(report.clean());
  report.add(at(9, "b"), "is late", "");
  report.add(at(2, "a"), "is early", "");
  report.add(at(9, "b"), "is late", "");
  report.add(at(2, "z"), "keeps its turn", "");
  report.add_syntax(5, 1, "is between");
  EXPECT_FALSE(report.clean());
  EXPECT_EQ(text(report.take_problems()),
            "f:2: a: is early\nf:2: z: keeps its turn\nf:5:1: is between\nf:9: b: is late\n");
}

// Seed 3699 of the mutations, told again: an endpoint's name with a line feed in it.
TEST(Report, a_quoted_line_feed_stays_on_the_line) {
  Report report("f");
  report.add(at(1, "a"), "is that of endpoint \"no\nde\"", "another\tname");
  EXPECT_EQ(text(report.take_problems()),
            "f:1: a: is that of endpoint \"no\\x0ade\"; allowed: another\\x09name\n");
}

TEST(Report, a_warning_is_no_problem) {
  Report report("f");
  report.warn(at(1, "a"), "is idle", "work");
  EXPECT_TRUE(report.clean());
  EXPECT_TRUE(report.take_problems().empty());
  EXPECT_EQ(text(report.take_warnings()), "f:1: a: is idle; allowed: work\n");
}

TEST(Origins, tell_valid_from_invalid_from_absent) {
  Origins origins;
  origins.set("", at(1, "endpoint"));
  origins.set("good", at(2, "endpoint.good", "1"));
  origins.set("bad", at(3, "endpoint.bad", "x", false));
  ASSERT_NE(origins.find("good"), nullptr);
  EXPECT_EQ(origins.find("good")->line, 2u);
  EXPECT_FALSE(origins.invalid("good"));
  EXPECT_EQ(origins.find("bad"), nullptr);
  EXPECT_TRUE(origins.mentions("bad"));
  EXPECT_TRUE(origins.invalid("bad"));
  EXPECT_FALSE(origins.mentions("absent"));
  EXPECT_FALSE(origins.invalid("absent"));
  EXPECT_EQ(origins.section().line, 1u);
}

TEST(Origins, a_sub_table_brings_its_keys_and_not_itself) {
  Origins origins, sub;
  origins.set("", at(1, "endpoint"));
  origins.set("faults.loss", at(2, "endpoint_defaults.faults.loss"));
  sub.set("", at(5, "endpoint.faults"));
  sub.set("loss", at(6, "endpoint.faults.loss"));
  origins.add_all(sub, "faults.");
  EXPECT_EQ(origins.find("faults.loss")->line, 6u);
  EXPECT_EQ(origins.section().line, 1u);
  EXPECT_FALSE(origins.mentions("faults."));
}

}  // namespace
}  // namespace lambdacast::config
