// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/kept_tables.h"

#include <gtest/gtest.h>

namespace lambdacast::telemetry {
namespace {

KeptTables::Shared table_of(size_t rows) {
  auto table = std::make_shared<Table>();
  table->rows.resize(rows);
  return table;
}

TEST(KeptTables, ask_by_number__expect_that_table_as_long_as_it_is_kept) {
  KeptTables kept;
  const auto first = table_of(1), second = table_of(2);
  const uint64_t one = kept.keep("groups,", first, 0);
  const uint64_t two = kept.keep("groups,", second, 0);
  EXPECT_NE(one, 0u);
  EXPECT_NE(one, two);
  EXPECT_EQ(kept.find("groups,", one, 0).table, first);
  EXPECT_EQ(kept.find("groups,", two, 0).table, second);
  EXPECT_EQ(kept.find("peers,", one, 0).table, nullptr) << "another subject's";
  EXPECT_EQ(kept.find("groups,", 99, 0).table, nullptr);
  kept.drop(one);
  EXPECT_EQ(kept.find("groups,", one, 0).table, nullptr);
  EXPECT_EQ(kept.tables(), 1u);
}

TEST(KeptTables, ask_without_a_number__expect_the_newest) {
  KeptTables kept;
  EXPECT_EQ(kept.find("groups,", 0, 0).table, nullptr);
  const uint64_t one = kept.keep("groups,", table_of(1), 0);
  const uint64_t two = kept.keep("groups,", table_of(2), 0);
  (void)kept.find("groups,", one, 0);  // asked for last, and still not the newest
  EXPECT_EQ(kept.find("groups,", 0, 0).id, two);
}

TEST(KeptTables, more_tables_than_are_kept__expect_who_was_asked_for_longest_ago_to_go) {
  KeptTables kept;
  const uint64_t one = kept.keep("groups,", table_of(1), 0);
  const uint64_t two = kept.keep("groups,", table_of(1), 0);
  for (size_t i = 2; i < KeptTables::kMostTables; ++i) kept.keep("groups,", table_of(1), 0);
  EXPECT_NE(kept.find("groups,", one, 0).table, nullptr);
  kept.keep("groups,", table_of(1), 0);
  EXPECT_EQ(kept.tables(), KeptTables::kMostTables);
  EXPECT_NE(kept.find("groups,", one, 0).table, nullptr);
  EXPECT_EQ(kept.find("groups,", two, 0).table, nullptr);
}

TEST(KeptTables, more_rows_than_are_kept__expect_room_made_but_the_newest_kept) {
  KeptTables kept;
  kept.keep("groups,", table_of(KeptTables::kMostRows / 2), 0);
  kept.keep("groups,", table_of(KeptTables::kMostRows / 2), 0);
  EXPECT_EQ(kept.tables(), 2u);
  kept.keep("groups,", table_of(1), 0);
  EXPECT_EQ(kept.tables(), 2u);
  EXPECT_LE(kept.rows(), KeptTables::kMostRows);
  const uint64_t huge = kept.keep("groups,", table_of(2 * KeptTables::kMostRows), 0);
  EXPECT_EQ(kept.tables(), 1u);
  EXPECT_NE(kept.find("groups,", huge, 0).table, nullptr);
}

TEST(KeptTables, nobody_asks__expect_it_gone_after_a_while_and_not_before) {
  KeptTables kept;
  const uint64_t id = kept.keep("groups,", table_of(1), 0);
  EXPECT_NE(kept.find("groups,", id, KeptTables::kKeepNs).table, nullptr);
  EXPECT_NE(kept.find("groups,", id, 2 * KeptTables::kKeepNs).table, nullptr);
  EXPECT_EQ(kept.find("groups,", id, 3 * KeptTables::kKeepNs + 1).table, nullptr);
  EXPECT_EQ(kept.tables(), 0u);
}

}  // namespace
}  // namespace lambdacast::telemetry
