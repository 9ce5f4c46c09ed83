// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast-bench/harness/histogram_file.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace lambdacast::bench {
namespace {

struct Line {
  double value_us = 0;
  double level = 0;
  uint64_t seen = 0;
};

// Reads it as HdrHistogram's tools do: two lines of heading, four columns (three in the last line),
// comments behind '#'.
std::vector<Line> read(const std::string& hgrm) {
  std::istringstream in(hgrm);
  std::string text;
  std::getline(in, text);
  EXPECT_EQ(text, "       Value     Percentile TotalCount 1/(1-Percentile)");
  std::getline(in, text);
  EXPECT_EQ(text, "");
  std::vector<Line> lines;
  while (std::getline(in, text) && text[0] != '#') {
    std::istringstream columns(text);
    Line line;
    EXPECT_TRUE(columns >> line.value_us >> line.level >> line.seen) << text;
    lines.push_back(line);
  }
  return lines;
}

TEST(HistogramFileTest, write_values__expect_lines_that_rise_to_all_of_them) {
  base::Histogram ns;
  for (uint64_t value = 1; value <= 100'000; ++value) ns.record(value);
  const std::vector<Line> lines = read(hgrm_of(ns, kNsPerUs));
  ASSERT_GT(lines.size(), 40u);
  EXPECT_EQ(lines.front().level, 0);
  for (size_t i = 1; i < lines.size(); ++i) {
    EXPECT_GE(lines[i].value_us, lines[i - 1].value_us);
    EXPECT_GT(lines[i].level, lines[i - 1].level);
    EXPECT_GE(lines[i].seen, lines[i - 1].seen);
    EXPECT_GE(static_cast<double>(lines[i].seen), lines[i].level * 100'000);
    EXPECT_NEAR(lines[i].value_us * 1000, static_cast<double>(lines[i].seen), 1);
  }
  EXPECT_EQ(lines.back().level, 1);
  EXPECT_EQ(lines.back().seen, 100'000u);
  EXPECT_EQ(lines.back().value_us, 100);
}

TEST(HistogramFileTest, write_one_value_or_none__expect_a_file_that_can_be_read) {
  base::Histogram ns;
  EXPECT_EQ(read(hgrm_of(ns, kNsPerUs)).size(), 1u);
  ns.record(1500);
  const std::vector<Line> lines = read(hgrm_of(ns, kNsPerUs));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back().value_us, 1.5);
  EXPECT_EQ(lines.back().seen, 1u);
}

TEST(HistogramFileTest, write_the_foot__expect_mean_deviation_and_count) {
  base::Histogram ns;
  ns.record(1000);
  ns.record(3000);
  const std::string text = hgrm_of(ns, kNsPerUs);
  EXPECT_NE(text.find("#[Mean    =        2.000, StdDeviation   =        "), std::string::npos);
  EXPECT_NE(text.find("#[Max     =        3.000, Total count    =            2]"),
            std::string::npos);
}

TEST(HistogramFileTest, name_a_file_beside__expect_the_extension_kept) {
  EXPECT_EQ(beside("a/run.hgrm", "bare"), "a/run.bare.hgrm");
  EXPECT_EQ(beside("run", "bare"), "run.bare");
}

}  // namespace
}  // namespace lambdacast::bench
