// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast-sim/finished_rows.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace lambdacast::sim_program {
namespace {

using Json = FinishedRows::Json;

class FinishedRowsTest : public ::testing::Test {
 protected:
  ~FinishedRowsTest() override { std::remove(path_.c_str()); }
  const std::string path_ = ::testing::TempDir() + "lambdacast_finished_rows_test.json";
};

TEST_F(FinishedRowsTest, rows_that_were_kept__expect_those_of_equal_keys_found_again) {
  FinishedRows first;
  ASSERT_TRUE(first.open(path_));
  first.keep({"ring:9", 0.1, 3}, {{"rtts_mean", 2.5}});
  FinishedRows again;
  ASSERT_TRUE(again.open(path_));
  EXPECT_EQ(again.find({"ring:9", 0.1, 3})["rtts_mean"], 2.5);
  EXPECT_TRUE(again.find({"ring:9", 0.1, 4}).is_null());
}

TEST_F(FinishedRowsTest, line_that_was_cut_short__expect_its_row_measured_again_and_others_kept) {
  std::ofstream(path_) << R"({"key":[1],"row":{"a":1}})"
                       << "\n"
                       << R"({"key":[2],"row":{"a")";
  FinishedRows rows;
  ASSERT_TRUE(rows.open(path_));
  EXPECT_EQ(rows.find({1})["a"], 1);
  EXPECT_TRUE(rows.find({2}).is_null());
  rows.keep({2}, {{"a", 2}});
  FinishedRows again;
  ASSERT_TRUE(again.open(path_));
  EXPECT_EQ(again.find({1})["a"], 1);
  EXPECT_EQ(again.find({2})["a"], 2);
}

TEST_F(FinishedRowsTest, no_path_or_one_that_cannot_be_written__expect_nothing_kept_or_false) {
  FinishedRows rows;
  EXPECT_TRUE(rows.open(""));
  rows.keep({1}, {{"a", 1}});
  EXPECT_TRUE(rows.find({1}).is_null());
  EXPECT_FALSE(FinishedRows().open(path_ + ".nowhere/file"));
}

}  // namespace
}  // namespace lambdacast::sim_program
