// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/figure.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lambdacast::telemetry {
namespace {

struct Row {
  std::string who;
  uint64_t count;
  uint64_t level;
};

constexpr FigureOf<Row> kFigures[] = {
    {{"who", Kind::kLabel, Unit::kNone, "Who."}, [](const Row& row) { return Value(row.who); }},
    {{"count", Kind::kCounter, Unit::kPackets, "How many."},
     [](const Row& row) { return Value(row.count); }},
    {{"level", Kind::kGauge, Unit::kBytes, "How high."},
     [](const Row& row) { return Value(row.level); }},
};

TEST(FigureTest, make_a_table__expect_a_row_a_structure_and_a_column_a_figure) {
  const Table table = make_table(kFigures, std::vector<Row>{{"a", 1, 2}, {"b", 3, 4}});
  ASSERT_EQ(table.figures.size(), 3u);
  EXPECT_STREQ(table.figures[2].name, "level");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1][0], Value("b"));
  EXPECT_EQ(table.rows[1][2], Value(uint64_t{4}));
}

TEST(FigureTest, count_since_an_earlier_table__expect_counters_less_and_gauges_as_they_are) {
  const Table then = make_table(kFigures, std::vector<Row>{{"b", 100, 7}, {"a", 10, 7}});
  const Table now = make_table(kFigures, std::vector<Row>{{"a", 15, 9}, {"b", 101, 8}});
  const Table result = since(now, then);
  EXPECT_EQ(result.rows[0][1], Value(uint64_t{5}));
  EXPECT_EQ(result.rows[0][2], Value(uint64_t{9}));
  EXPECT_EQ(result.rows[1][1], Value(uint64_t{1}));
}

TEST(FigureTest, count_since_a_table_that_lacks_a_row__expect_all_of_it) {
  const Table now = make_table(kFigures, std::vector<Row>{{"new", 15, 9}});
  EXPECT_EQ(since(now, make_table(kFigures, std::vector<Row>{})).rows, now.rows);
}

TEST(FigureTest, name_kinds_and_units__expect_each_to_have_a_word_of_its_own) {
  std::vector<std::string> words;
  for (uint8_t i = 0; i <= static_cast<uint8_t>(Unit::kPpb); ++i) {
    words.emplace_back(name(static_cast<Unit>(i)));
  }
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
  EXPECT_STREQ(name(Kind::kCounter), "counter");
  EXPECT_STREQ(name(Unit::kPackets), "packets");
}

}  // namespace
}  // namespace lambdacast::telemetry
