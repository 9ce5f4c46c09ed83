// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lambdacast-bench/cases/failover.h"

namespace lambdacast::bench {
namespace {

// Four runs, the median of which is half a millisecond beyond the time of suspicion.
FailoverReport report() {
  FailoverReport r;
  r.standstill_ns = {24'000'000, 20'100'000, 20'500'000, 20'900'000};
  r.view_ns = {20'000'000, 20'050'000, 20'300'000, 20'400'000};
  r.runs = r.measured = 4;
  r.published = 1000;
  return r;
}

TEST(FailoverReportTest, write_it_as_json__expect_exact_percentiles) {
  const auto json = nlohmann::json::parse(json_of(readings_of(report(), FailoverOptions{})));
  EXPECT_EQ(json["p50_ns"], 20'500'000);
  EXPECT_EQ(json["p99_ns"], 24'000'000);
  EXPECT_EQ(json["min_ns"], 20'100'000);
  EXPECT_EQ(json["view_p50_ns"], 20'050'000);
  EXPECT_EQ(json["suspect_plus_ns"], 500'000);
  EXPECT_EQ(json["sound"], true);
}

TEST(FailoverReportTest, anything_lost_or_nothing_measured__expect_it_unsound) {
  for (uint64_t FailoverReport::*const count :
       {&FailoverReport::missing, &FailoverReport::wrong, &FailoverReport::out_of_order,
        &FailoverReport::gaps, &FailoverReport::different, &FailoverReport::stuck}) {
    FailoverReport r = report();
    r.*count = 1;
    EXPECT_FALSE(r.sound());
    EXPECT_NE(text_of(readings_of(r, FailoverOptions{})).find("NOT SOUND"), std::string::npos);
  }
  EXPECT_FALSE(FailoverReport{}.sound());
  FailoverReport disturbed = report();
  disturbed.disturbed = 1;
  EXPECT_TRUE(disturbed.sound());
  EXPECT_NE(text_of(readings_of(disturbed, FailoverOptions{})).find("runs DISTURBED"),
            std::string::npos);
}

}  // namespace
}  // namespace lambdacast::bench
