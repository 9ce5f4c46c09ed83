// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "lambdacast-bench/cases/latency.h"

namespace lambdacast::bench {
namespace latency_report_test {

// Ten thousand messages of 1 to 10000 ns, each 7 ns late; bare 1 to 100 ns.
LatencyReport report() {
  LatencyReport r;
  for (uint64_t ns = 1; ns <= 10'000; ++ns) {
    r.full.sent_to_delivered.record(ns);
    r.full.due_to_delivered.record(ns + 7);
  }
  r.full.sent = 10'000;
  r.bare.emplace();
  for (uint64_t ns = 1; ns <= 100; ++ns) r.bare->sent_to_delivered.record(ns);
  r.bare->sent = 100;
  r.rate = 10'000;
  return r;
}

TEST(LatencyReportTest, write_it_as_json__expect_the_keys_and_values) {
  const auto json = nlohmann::json::parse(json_of(readings_of(report(), LatencyOptions{})));
  for (const char* key : {"p50_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns", "bare_p50_ns",
                          "bare_p99_ns", "intended_p99_ns", "lost", "rate", "payload_bytes"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["max_ns"], 10'000);
  EXPECT_EQ(json["intended_max_ns"], 10'007);
  EXPECT_NEAR(json["p50_ns"], 5000, 5000 / 256);
  EXPECT_EQ(json["bare_p50_ns"], 50);
  EXPECT_EQ(json["bare_p99_ns"], 99);
  EXPECT_EQ(json["lost"], 0);
  EXPECT_FALSE(json.contains("max_rate"));
}

TEST(LatencyReportTest, leave_the_bare_ports_out__expect_no_key_of_theirs) {
  LatencyReport r = report();
  r.bare.reset();
  r.max_rate = 8e6;
  const auto json = nlohmann::json::parse(json_of(readings_of(r, LatencyOptions{})));
  EXPECT_FALSE(json.contains("bare_p50_ns"));
  EXPECT_EQ(json["max_rate"], 8e6);
  EXPECT_EQ(text_of(readings_of(r, LatencyOptions{})).find("bare"), std::string::npos);
}

TEST(LatencyReportTest, lose_messages__expect_it_told_and_the_run_sound) {
  LatencyReport r = report();
  r.full.sent += 5;
  EXPECT_EQ(r.full.lost(), 5u);
  EXPECT_TRUE(r.full.sound());
  EXPECT_NE(text_of(readings_of(r, LatencyOptions{})).find("LOST 5"), std::string::npos);
  EXPECT_EQ(text_of(readings_of(report(), LatencyOptions{})).find("LOST"), std::string::npos);
}

TEST(LatencyReportTest, receive_what_was_not_sent__expect_the_run_unsound) {
  const std::vector<std::function<void(LatencySeries&)>> changes = {
      [](LatencySeries& s) { s.repeated = 1; },     [](LatencySeries& s) { s.strange = 1; },
      [](LatencySeries& s) { s.negative = 1; },     [](LatencySeries& s) { --s.sent; },
      [](LatencySeries& s) { s = {}, s.sent = 1; },
  };
  EXPECT_TRUE(report().full.sound());
  EXPECT_TRUE(LatencySeries{}.sound());  // ended before it began
  for (size_t i = 0; i < changes.size(); ++i) {
    LatencyReport r = report();
    changes[i](r.full);
    EXPECT_FALSE(r.full.sound()) << "change " << i;
    EXPECT_NE(text_of(readings_of(r, LatencyOptions{})).find("NOT SOUND"), std::string::npos)
        << "change " << i;
  }
}

}  // namespace latency_report_test
}  // namespace lambdacast::bench
