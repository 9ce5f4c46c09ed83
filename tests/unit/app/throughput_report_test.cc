// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "lambdacast-bench/cases/throughput.h"

namespace lambdacast::bench {
namespace throughput_report_test {

// Half a second: 1000 messages of 64 bytes in 50 packets; ten are lost.
ThroughputReport report() {
  ThroughputReport r;
  r.elapsed_s = r.sent_elapsed_s = 0.5;
  r.messages = 1000;
  r.bytes = 64'000;
  r.packets = 50;
  r.sent_messages = 1010;
  r.sent_packets = 51;
  r.total_sent_messages = 1210;
  r.total_messages = 1200;
  r.intervals = {{0.1, 1800}, {0.2, 2200}};
  return r;
}

TEST(ThroughputReportTest, write_it_as_json__expect_the_keys_and_values) {
  const auto json = nlohmann::json::parse(json_of(readings_of(report(), ThroughputOptions{})));
  EXPECT_EQ(json["messages_per_second"], 2000);
  EXPECT_EQ(json["packets_per_second"], 100);
  EXPECT_EQ(json["goodput_bps"], 1'024'000);
  EXPECT_EQ(json["messages_per_packet"], 20);
  EXPECT_EQ(json["sent_packets_per_second"], 102);
  EXPECT_EQ(json["lost_messages"], 10);
  EXPECT_EQ(json["sound"], true);
}

TEST(ThroughputReportTest, write_it_for_people__expect_losses_only_if_there_are_any) {
  EXPECT_NE(text_of(readings_of(report(), ThroughputOptions{})).find("LOST 10 messages, of 1210"),
            std::string::npos);
  ThroughputReport r = report();
  r.total_messages = r.total_sent_messages;
  EXPECT_EQ(text_of(readings_of(r, ThroughputOptions{})).find("LOST"), std::string::npos);
}

TEST(ThroughputReportTest, deliver_what_was_not_sent__expect_the_run_unsound) {
  const std::vector<std::function<void(ThroughputReport&)>> changes = {
      [](ThroughputReport& r) { r.wrong_content = 1; },
      [](ThroughputReport& r) { r.total_messages = r.total_sent_messages + 1; },
      [](ThroughputReport& r) { r.total_messages = 0; },
  };
  EXPECT_TRUE(report().sound());
  EXPECT_TRUE(ThroughputReport{}.sound());  // ended before it began
  for (size_t i = 0; i < changes.size(); ++i) {
    ThroughputReport r = report();
    changes[i](r);
    EXPECT_FALSE(r.sound()) << "change " << i;
  }
}

TEST(ThroughputReportTest, report_a_run_of_no_time__expect_no_rates) {
  const auto json =
      nlohmann::json::parse(json_of(readings_of(ThroughputReport{}, ThroughputOptions{})));
  EXPECT_EQ(json["messages_per_second"], 0);
  EXPECT_EQ(json["messages_per_packet"], 0);
}

TEST(ThroughputReportTest, make_the_histogram__expect_a_rate_an_interval) {
  const base::Histogram rates = rates_of(report());
  EXPECT_EQ(rates.count(), 2u);
  EXPECT_EQ(rates.min(), 1800u);
  EXPECT_EQ(rates.max(), 2200u);
}

}  // namespace throughput_report_test
}  // namespace lambdacast::bench
