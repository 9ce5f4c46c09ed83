// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lambdacast-bench/cases/groups.h"

namespace lambdacast::bench {
namespace groups_report_test {

const GroupsOptions kOptions{.groups = {1, 101}};  // of four nodes

// One group, then 100 more, in which a sender is a tenth slower.
GroupsReport report() {
  GroupsReport r;
  r.steps = {{.groups = 1, .joins = 4, .join_s = 2, .one_mps = {100}, .many_mps = {100}},
             {.groups = 101,
              .joins = 400,
              .join_s = 0.5,
              .rss_growth_bytes = 160'000,
              .one_mps = {1000, 900, 5000},
              .many_mps = {100, 900, 1000}}};
  r.table_bytes_per_group = 300;
  r.published = 10;
  r.expected = r.delivered = 30;
  r.views = 4;
  return r;
}

TEST(GroupsReportTest, median_of_odd_even_and_none__expect_the_middle) {
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(GroupsReportTest, write_it_as_json__expect_the_last_step_at_the_top_and_all_below) {
  const auto json = nlohmann::json::parse(json_of(readings_of(report(), kOptions)));
  EXPECT_EQ(json["groups"], 101);
  EXPECT_EQ(json["joins_per_s"], 800);
  EXPECT_EQ(json["one_mps"], 1000);
  EXPECT_EQ(json["many_mps"], 900);
  EXPECT_EQ(json["ratio"], 0.9);
  EXPECT_EQ(json["rss_bytes_per_group"], 400);
  EXPECT_EQ(json["table_bytes_per_group"], 300);
  EXPECT_EQ(json["sound"], true);
  ASSERT_EQ(json["steps"].size(), 2u);
  EXPECT_EQ(json["steps"][0]["joins_per_s"], 2);
  EXPECT_EQ(json["steps"][0]["rss_bytes_per_group"], 0);
}

TEST(GroupsReportTest, anything_wrong_or_missing__expect_it_unsound) {
  EXPECT_TRUE(report().sound(kOptions));
  for (uint64_t GroupsReport::*const count :
       {&GroupsReport::wrong, &GroupsReport::out_of_order, &GroupsReport::expected,
        &GroupsReport::delivered, &GroupsReport::views}) {
    GroupsReport r = report();
    ++(r.*count);
    EXPECT_FALSE(r.sound(kOptions));
    EXPECT_NE(text_of(readings_of(r, kOptions)).find("NOT SOUND"), std::string::npos);
  }
  GroupsReport short_run = report();
  short_run.steps.pop_back();
  EXPECT_FALSE(short_run.sound(kOptions));
  EXPECT_FALSE(GroupsReport{}.sound(kOptions));
}

}  // namespace groups_report_test
}  // namespace lambdacast::bench
