// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "lambdacast-bench/cases/loss.h"
#include "parse_words.h"

namespace lambdacast::bench {
namespace loss_options_test {

std::optional<LossOptions> parse(const app::Words& words) {
  return app::parse_words<LossOptions>(add_options, words);
}

TEST(LossOptionsTest, parse_the_issues_command__expect_its_values) {
  const auto options = parse({"--nodes", "4", "--packets", "100000000", "--payload", "64",
                              "--psn-start", "0xfffff0", "--json", "-"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->fabric.nodes, 4u);
  EXPECT_EQ(options->packets, 100'000'000u);
  EXPECT_EQ(options->psn_start, 0xfffff0u);
  EXPECT_EQ(options->output.json, "-");
  EXPECT_EQ(options->pace.text(), "window");
  EXPECT_EQ(check(*options), "");
}

TEST(LossOptionsTest, parse_paces__expect_each_and_a_refusal_of_others) {
  EXPECT_EQ(parse({"--pace", "none"})->pace.kind, Pace::Kind::kNone);
  EXPECT_EQ(parse({"--pace", "window"})->pace.kind, Pace::Kind::kWindow);
  EXPECT_EQ(parse({"--pace", "250000"})->pace.per_second, 250'000u);
  EXPECT_EQ(parse({"--pace", "250000"})->pace.text(), "250000");
  for (const char* wrong : {"0", "-1", "fast", "1e6", "10x", ""}) {
    EXPECT_FALSE(parse({"--pace", wrong})) << wrong;
  }
}

TEST(LossOptionsTest, parse_values_at_and_beyond_their_limits__expect_only_the_first) {
  for (const app::Words& right :
       {app::Words{"--nodes", "2"}, app::Words{"--nodes", "32"}, app::Words{"--payload", "48"},
        app::Words{"--payload", "4096"}, app::Words{"--drop", "1"}}) {
    EXPECT_TRUE(parse(right)) << right[0] << right[1];
  }
  for (const app::Words& wrong :
       {app::Words{"--nodes", "1"}, app::Words{"--nodes", "33"}, app::Words{"--payload", "47"},
        app::Words{"--payload", "4097"}, app::Words{"--drop", "1.1"}}) {
    EXPECT_FALSE(parse(wrong)) << wrong[0] << wrong[1];
  }
}

TEST(LossOptionsTest, check_options_that_do_not_go_together__expect_a_sentence_each) {
  LossOptions options;
  options.packets = 0;
  EXPECT_EQ(check(options), "--packets 0 needs --seconds");
  options.seconds = 1;
  EXPECT_EQ(check(options), "");
  options.drop_at = 4;
  EXPECT_EQ(check(options), "--drop-at 4 is not allowed; allowed: 0 to 3");
  options.drop_at = 3;
  EXPECT_EQ(check(options), "");
  options.qos.drop = 0.1;
  options.config_file = "x";
  EXPECT_EQ(check(options), "--drop is for the embedded fabric; with --config, use its faults");
}

TEST(LossOptionsTest, make_a_rack__expect_neighbours_together_and_faults_at_one_node) {
  LossOptions options;
  options.qos.drop = 0.25;
  options.drop_at = 2;
  options.qos.drop_seed = 10;
  const auto rack = rack_of(options);
  ASSERT_TRUE(rack) << rack.error();
  ASSERT_EQ(rack->endpoints.size(), 4u);
  EXPECT_EQ(rack->endpoints[1].stages.receive, 0u);
  EXPECT_EQ(rack->endpoints[2].stages.receive, 1u);
  EXPECT_EQ(rack->endpoints[2].faults.loss, 0.25);
  EXPECT_EQ(rack->endpoints[2].faults.seed, 12u);
  EXPECT_FALSE(rack->endpoints[1].faults.any());
  EXPECT_EQ(rack->endpoints[3].groups.size(), 4u);
}

TEST(LossOptionsTest, make_a_rack_of_reliable_multicast__expect_every_option_in_each_endpoint) {
  const auto options = parse({"--window", "256", "--in-flight", "99", "--status-us", "7",
                              "--rate-pps", "12345", "--qos", "source"});
  ASSERT_TRUE(options);
  const auto rack = rack_of(*options);
  ASSERT_TRUE(rack) << rack.error();
  for (const config::Endpoint& endpoint : rack->endpoints) {
    EXPECT_EQ(endpoint.reliability.transmit_window_pkts, 256u);
    EXPECT_EQ(endpoint.reliability.receive_window_pkts, 256u);
    EXPECT_EQ(endpoint.reliability.in_flight_pkts, 99u);
    EXPECT_EQ(endpoint.reliability.status_ns, 7'000u);
    EXPECT_EQ(endpoint.pacer.units_per_second, 12'345u);
  }
}

TEST(LossOptionsTest, make_the_largest_rack__expect_it_to_be_right) {
  LossOptions options;
  options.fabric.nodes = 32;
  const auto rack = rack_of(options);
  ASSERT_TRUE(rack) << rack.error();
  EXPECT_EQ(rack->endpoints.size(), 32u);
}

TEST(LossOptionsTest, make_a_rack_of_a_wrong_ring__expect_what_is_allowed) {
  LossOptions options;
  options.fabric.slots = 100;
  const auto rack = rack_of(options);
  ASSERT_FALSE(rack);
  EXPECT_NE(rack.error().find("allowed: a power of two"), std::string::npos) << rack.error();
}

}  // namespace loss_options_test
}  // namespace lambdacast::bench
