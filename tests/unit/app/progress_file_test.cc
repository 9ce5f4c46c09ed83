// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast-sim/progress_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace lambdacast::sim_program {
namespace {

using Range = SeedRanges::Range;

TEST(SeedRanges, add_in_any_order__expect_them_joined_where_they_touch) {
  SeedRanges ranges;
  ranges.add({{10, 20}, {1, 3}});
  ranges.add({{21, 25}, {4, 4}, {12, 13}});
  EXPECT_EQ(ranges.ranges(), (std::vector<Range>{{1, 4}, {10, 25}}));
  EXPECT_TRUE(ranges.contains(4));
  EXPECT_FALSE(ranges.contains(5));
  EXPECT_TRUE(ranges.contains(25));
  EXPECT_FALSE(ranges.contains(26));
  EXPECT_FALSE(ranges.contains(0));
}

// What a campaign of several kinds does: none of them touch.
TEST(SeedRanges, every_fourth_seed__expect_each_found_and_none_between) {
  SeedRanges ranges;
  std::vector<Range> seeds;
  for (uint64_t seed = 4000; seed != 0; seed -= 4) seeds.push_back({seed, seed});
  ranges.add(seeds);
  EXPECT_EQ(ranges.ranges().size(), 1000u);
  for (uint64_t seed = 1; seed <= 4001; ++seed) EXPECT_EQ(ranges.contains(seed), seed % 4 == 0);
}

class ProgressFileTest : public ::testing::Test {
 protected:
  ~ProgressFileTest() override { std::remove(path_.c_str()); }
  const std::string path_ = ::testing::TempDir() + "lambdacast_progress_file_test.json";
};

TEST_F(ProgressFileTest, save_and_load__expect_what_was_done_and_seen) {
  Progress progress;
  progress.done.add({{1, 5}});
  progress.finished = {8, 6, 7, 20};
  progress.failed = {7};
  progress.coverage.seeds = 9;
  progress.coverage.repairs = 4;
  ASSERT_TRUE(save_progress(path_, progress));
  Progress loaded;
  ASSERT_TRUE(load_progress(path_, loaded));
  EXPECT_EQ(loaded.done.ranges(), (std::vector<Range>{{1, 8}, {20, 20}}));
  EXPECT_EQ(loaded.failed, std::set<uint64_t>{7});
  EXPECT_EQ(loaded.coverage.seeds, 9u);
  EXPECT_EQ(loaded.coverage.repairs, 4u);
}

TEST_F(ProgressFileTest, no_file__expect_an_empty_one) {
  Progress progress;
  EXPECT_TRUE(load_progress(path_, progress));
  EXPECT_TRUE(progress.done.ranges().empty());
}

TEST_F(ProgressFileTest, another_file__expect_it_named_in_the_error) {
  std::ofstream(path_) << "{\"done\": 3}";
  Progress progress;
  const auto loaded = load_progress(path_, progress);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find(path_), std::string::npos);
}

TEST_F(ProgressFileTest, directory_that_is_not_there__expect_an_error) {
  EXPECT_FALSE(save_progress("/nonexistent/progress.json", Progress{}));
}

}  // namespace
}  // namespace lambdacast::sim_program
