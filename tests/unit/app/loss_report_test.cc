// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "lambdacast-bench/cases/loss.h"

namespace lambdacast::bench {
namespace loss_report_test {

// Two nodes, 1000 packets each; node1 has lost 3 by a fault and 2 by its ring.
LossReport report() {
  LossReport r;
  r.names = {"node0", "node1"};
  r.transmitters = {{.numbered = 1000, .on_the_fabric = 1000},
                    {.numbered = 1000, .on_the_fabric = 1000}};
  r.receivers.resize(2);
  r.receivers[0].expected = r.receivers[0].delivered = 1000;
  r.receivers[1].expected = 1000;
  r.receivers[1].delivered = 995;
  r.receivers[1].losses = {{"fault_lost", 3}, {"ring_overrun", 2}};
  r.missing = {0, 5};
  r.elapsed_s = 0.5;
  return r;
}

TEST(LossReportTest, report_a_balanced_run__expect_the_identity_and_its_sums) {
  const LossReport r = report();
  EXPECT_TRUE(r.identity_holds());
  EXPECT_EQ(r.sent(), 2000u);
  EXPECT_EQ(r.expected(), 2000u);
  EXPECT_EQ(r.delivered(), 1995u);
  EXPECT_EQ(r.lost(), 5u);
  EXPECT_DOUBLE_EQ(r.loss_ratio(), 5.0 / 2000);
}

TEST(LossReportTest, change_any_one_number__expect_the_identity_to_break) {
  const std::vector<std::function<void(LossReport&)>> changes = {
      [](LossReport& r) { ++r.receivers[0].delivered; },
      [](LossReport& r) { --r.receivers[1].delivered; },
      [](LossReport& r) { ++r.receivers[1].losses["ring_overrun"]; },
      [](LossReport& r) { ++r.receivers[0].copies; },
      [](LossReport& r) { ++r.receivers[0].duplicates; },
      [](LossReport& r) { ++r.missing[0]; },
      [](LossReport& r) { --r.missing[1]; },
      [](LossReport& r) { r.wrong_content = 1; },
      [](LossReport& r) { --r.receivers[0].delivered, ++r.receivers[0].inside; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    LossReport r = report();
    changes[i](r);
    EXPECT_FALSE(r.identity_holds()) << "change " << i;
    EXPECT_NE(text_of(readings_of(r, LossOptions{})).find("identity DOES NOT HOLD"),
              std::string::npos);
  }
}

// The copy arrives, the original is lost: one loss by counter, none by sequence.
TEST(LossReportTest, let_a_copy_stand_in_for_an_original__expect_the_identity_to_hold) {
  LossReport r = report();
  r.receivers[1].copies = 1;
  r.receivers[1].losses["fault_lost"] += 1;
  EXPECT_TRUE(r.identity_holds());
}

TEST(LossReportTest, write_it_as_json__expect_the_keys_and_the_places) {
  const auto json = nlohmann::json::parse(json_of(readings_of(report(), LossOptions{})));
  for (const char* key :
       {"sent", "delivered", "lost", "lost_by_reason", "duplicates", "corrupted", "psn_wraps",
        "loss_ratio", "loss_ratio_upper95", "packets_per_second", "goodput_bps", "pace"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["lost_by_reason"], (nlohmann::json{{"fault_lost", 3}, {"ring_overrun", 2}}));
  EXPECT_EQ(json["lost_by_place"]["receiver"]["node1"]["fault_lost"], 3);
  EXPECT_FALSE(json["lost_by_place"]["receiver"].contains("node0"));
  EXPECT_EQ(json["packets_per_second"], 4000.0);
  EXPECT_EQ(json["goodput_bps"], 1995.0 * 16 * 8 / 0.5);
}

TEST(LossReportTest, lose_at_a_transmitter__expect_its_place_and_not_the_receivers) {
  LossReport r = report();
  r.transmitters[0].on_the_fabric = 990;
  r.receivers[1].delivered -= 10;
  r.receivers[1].losses["transmitter"] = 10;
  r.missing[1] += 10;
  ASSERT_TRUE(r.identity_holds());
  const auto json = nlohmann::json::parse(json_of(readings_of(r, LossOptions{})));
  EXPECT_EQ(json["lost_by_place"]["transmitter"]["node0"], 10);
  EXPECT_FALSE(json["lost_by_place"]["receiver"]["node1"].contains("transmitter"));
  EXPECT_EQ(json["lost_by_reason"]["transmitter"], 10);
}

TEST(Upper95Test, see_no_event__expect_the_rule_of_three) {
  EXPECT_NEAR(upper95(0, 1'000'000), -std::log(0.05) / 1e6, 1e-12);
}

// Upper ends of the exact Poisson interval, from tables of the chi-squared distribution.
TEST(Upper95Test, see_some_events__expect_the_tables_values) {
  EXPECT_NEAR(upper95(1, 1'000'000) * 1e6, 4.7439, 1e-3);
  EXPECT_NEAR(upper95(2, 1'000'000) * 1e6, 6.2958, 1e-3);
  EXPECT_NEAR(upper95(10, 1'000'000) * 1e6, 16.9622, 1e-3);
}

TEST(Upper95Test, cross_from_exact_to_approximate__expect_no_step) {
  const double below = upper95(199, 1'000'000'000) * 1e9;
  const double above = upper95(200, 1'000'000'000) * 1e9;
  const double next = upper95(201, 1'000'000'000) * 1e9;
  EXPECT_NEAR(above - below, next - above, 0.01);
}

TEST(Upper95Test, see_only_events_or_no_trial__expect_one) {
  EXPECT_EQ(upper95(10, 10), 1.0);
  EXPECT_EQ(upper95(0, 0), 1.0);
}

}  // namespace loss_report_test
}  // namespace lambdacast::bench
