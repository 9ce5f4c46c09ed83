// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "lambdacast-bench/cases/latency.h"
#include "parse_words.h"

namespace lambdacast::bench {
namespace latency_options_test {

std::optional<LatencyOptions> parse(const app::Words& words) {
  return app::parse_words<LatencyOptions>(add_options, words);
}

TEST(LatencyOptionsTest, parse_nothing__expect_the_documented_defaults) {
  const auto options = parse({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->mode, LatencyMode::kOneWay);
  EXPECT_EQ(options->payload_bytes, 64u);
  EXPECT_EQ(options->rate, 10'000u);
  EXPECT_EQ(options->pair.lcores, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(options->pair.idle, config::IdlePolicy::kSpin);
  EXPECT_TRUE(options->bare);
  EXPECT_EQ(check(*options), "");
}

TEST(LatencyOptionsTest, parse_modes_rates_and_policies__expect_each_and_a_refusal_of_others) {
  EXPECT_EQ(parse({"--mode", "round-trip"})->mode, LatencyMode::kRoundTrip);
  EXPECT_TRUE(parse({"--rate", "half-max"})->half_max);
  EXPECT_EQ(parse({"--rate", "250000"})->rate, 250'000u);
  EXPECT_FALSE(parse({"--rate", "250000"})->half_max);
  EXPECT_EQ(parse({"--idle", "pause"})->pair.idle, config::IdlePolicy::kPause);
  EXPECT_FALSE(parse({"--no-bare"})->bare);
  for (const char* wrong : {"0", "-1", "max", "1e6", "10x", ""}) {
    EXPECT_FALSE(parse({"--rate", wrong})) << wrong;
  }
  EXPECT_FALSE(parse({"--mode", "both"}));
  EXPECT_FALSE(parse({"--idle", "doze"}));
}

TEST(LatencyOptionsTest, parse_values_at_and_beyond_their_limits__expect_only_the_first) {
  for (const app::Words& right :
       {app::Words{"--payload", "16"}, app::Words{"--payload", "4048"}, app::Words{"--count", "1"},
        app::Words{"--warm-up", "0"}, app::Words{"--lcores", "3,5"}}) {
    EXPECT_TRUE(parse(right)) << right[0] << right[1];
  }
  for (const app::Words& wrong :
       {app::Words{"--payload", "15"}, app::Words{"--payload", "4049"}, app::Words{"--count", "0"},
        app::Words{"--lcores", "3"}, app::Words{"--lcores", "1,2,3"},
        app::Words{"--lcores", "0,128"}}) {
    EXPECT_FALSE(parse(wrong)) << wrong[0] << wrong[1];
  }
}

TEST(LatencyOptionsTest, put_both_on_one_lcore__expect_a_sentence) {
  EXPECT_EQ(check(*parse({"--lcores", "2,2"})),
            "--lcores 2,2 is not allowed; allowed: two different lcores");
}

TEST(LatencyOptionsTest, make_a_rack__expect_a_sender_and_a_receiver_on_their_lcores) {
  const auto rack = rack_of(*parse({"--lcores", "3,5", "--idle", "pause"}));
  ASSERT_TRUE(rack) << rack.error();
  ASSERT_EQ(rack->endpoints.size(), 2u);
  EXPECT_EQ(rack->endpoints[0].stages.receive, 3u);
  EXPECT_EQ(rack->endpoints[1].stages.rate_control, 5u);
  EXPECT_EQ(rack->endpoints[0].groups, (std::vector<uint32_t>{kAnswerGroup}));
  EXPECT_EQ(rack->endpoints[1].groups, (std::vector<uint32_t>{kMessageGroup}));
  for (const config::Lcore& lcore : rack->lcores) {
    EXPECT_EQ(lcore.idle, config::IdlePolicy::kPause);
  }
}

TEST(LatencyOptionsTest, make_a_rack_of_a_wrong_ring__expect_what_is_allowed) {
  LatencyOptions options;
  options.pair.slots = 100;
  const auto rack = rack_of(options);
  ASSERT_FALSE(rack);
  EXPECT_NE(rack.error().find("allowed: a power of two"), std::string::npos) << rack.error();
}

}  // namespace latency_options_test
}  // namespace lambdacast::bench
