// SPDX-License-Identifier: BSD-3-Clause
// Keys of [endpoint.rate]: bounds, where values go, and what they ask of each other.
#include "support.h"

namespace lambdacast::config {
namespace rate_keys_test {

using rate_control::Policy;

const std::string kMember = "membership = { enabled = true }\n";

std::string endpoint_line(const std::string& line) { return problems_of(kMinimal + line); }

TEST(RateKeys, values_out_of_range__expect_them_named_with_what_is_allowed) {
  const std::pair<const char*, const char*> bad[] = {
      {"rate.policy = \"best\"", "\"none\", \"fixed\", \"fair\", \"window\" or \"auto\""},
      {"rate.need = 999999", "0 or 1000000..1600000000000 bits/s"},
      {"rate.limit = 1600000000001", "0 or 1000000..1600000000000 bits/s"},
      {"rate.capacity = 1", "0 or 1000000..1600000000000 bits/s"},
      {"rate.reserve = 51", "0..50 percent"},
      {"rate.outside = -1", "0 or 1000000..1600000000000 bits/s"},
      {"rate.burst_us = 0", "1..10000 us"},
      {"rate.demand_ms = 1001", "1..1000 ms"},
  };
  for (const auto& [line, allowed] : bad) {
    const std::string problem = endpoint_line(line);
    EXPECT_NE(problem.find(std::string("is not allowed; allowed: ") + allowed + "\n"),
              std::string::npos)
        << line << ": " << problem;
  }
}

TEST(RateKeys, every_value__expect_it_in_its_place) {
  const auto config = parse(kMinimal + std::string(kMember) +
                                "rate = { policy = \"fair\", need = 2000000, limit = 3000000, "
                                "capacity = 4000000, reserve = 5, outside = 6000000, "
                                "burst_us = 7, demand_ms = 8 }\n",
                            "t");
  ASSERT_TRUE(config) << text(config.error());
  const rate_control::RateConfig& rate = config->endpoints[0].rate;
  EXPECT_EQ(rate.policy, Policy::kFair);
  EXPECT_EQ(rate.need_bps, 2'000'000u);
  EXPECT_EQ(rate.limit_bps, 3'000'000u);
  EXPECT_EQ(rate.capacity_bps, 4'000'000u);
  EXPECT_EQ(rate.reserve_percent, 5u);
  EXPECT_EQ(rate.outside_bps, 6'000'000u);
  EXPECT_EQ(rate.burst_ns, 7'000u);
  EXPECT_EQ(rate.demand_ns, 8'000'000u);
}

TEST(RateKeys, nothing_said__expect_fair_with_membership_and_no_limit) {
  const auto config = parse(kMinimal, "t");
  ASSERT_TRUE(config) << text(config.error());
  EXPECT_EQ(config->endpoints[0].rate.policy, Policy::kAuto);
  EXPECT_EQ(rate_policy(config->endpoints[0]), Policy::kNone);
  const auto member = parse(kMinimal + kMember, "t");
  ASSERT_TRUE(member) << text(member.error());
  EXPECT_EQ(rate_policy(member->endpoints[0]), Policy::kFair);
  EXPECT_EQ(config->endpoints[0].rate.capacity_bps, 0u);
  EXPECT_EQ(config->endpoints[0].rate.reserve_percent, 3u);
}

TEST(RateKeys, fixed_without_a_limit__expect_a_problem) {
  EXPECT_NE(endpoint_line("rate.policy = \"fixed\"").find("allowed: rate.limit = BITS"),
            std::string::npos);
  EXPECT_EQ(endpoint_line("rate = { policy = \"fixed\", limit = 1000000 }"), "");
}

TEST(RateKeys, fair_without_membership__expect_a_problem) {
  EXPECT_NE(endpoint_line("rate.policy = \"fair\"")
                .find("allowed: membership.enabled = true, or another rate.policy"),
            std::string::npos);
  EXPECT_EQ(endpoint_line("rate.policy = \"window\""), "");
}

TEST(RateKeys, less_than_control_asks_for__expect_a_warning_with_the_remedy) {
  const auto warnings = [](const std::string& lines) {
    const Config config = loaded(kMinimal + lines);
    return config.warnings.empty() ? "" : text(config.warnings);
  };
  const std::string nodes = "membership = { enabled = true, initial_nodes = 80 }\n";
  EXPECT_NE(warnings(nodes + "rate.capacity = 1000000000").find("a longer membership.heartbeat_us"),
            std::string::npos);
  EXPECT_EQ(warnings(nodes + "rate.capacity = 100000000000"), "");
  EXPECT_EQ(warnings(nodes), "");
  // In a second the statuses of 80 streams take little of that rate. In 8 ms four rounds of them do
  // not fit.
  const std::string soon =
      "membership = { enabled = true, initial_nodes = 80, suspect_after_us = 8000 }\n";
  EXPECT_NE(warnings(soon + "rate.capacity = 40000000000").find("the statuses of"),
            std::string::npos);
  EXPECT_EQ(warnings(nodes + "rate.capacity = 40000000000"), "");
  EXPECT_NE(warnings(nodes + "faults = { rx_rate = 100000000000, rx_buffer = 65536 }")
                .find("an rx_buffer of at least"),
            std::string::npos);
}

TEST(RateKeys, limits_of_groups__expect_them_in_their_place_and_each_group_once) {
  const auto config = parse(kMinimal +
                                "[[endpoint.group_rate]]\ngroup = 7\nlimit = 2000000\n"
                                "[[endpoint.group_rate]]\ngroup = 8\nlimit = 3000000\n",
                            "t");
  ASSERT_TRUE(config) << text(config.error());
  ASSERT_EQ(config->endpoints[0].group_rates.size(), 2u);
  EXPECT_EQ(config->endpoints[0].group_rates[1], (rate_control::GroupRate{8, 3'000'000}));
  const std::string twice = "[[endpoint.group_rate]]\ngroup = 7\nlimit = 2000000\n";
  EXPECT_NE(endpoint_line(twice + twice)
                .find("t:12: endpoint.group_rate.group: 7 has a limit in "
                      "endpoint \"a\" twice"),
            std::string::npos)
      << endpoint_line(twice + twice);
  EXPECT_NE(endpoint_line("[[endpoint.group_rate]]\ngroup = 7\n").find("limit"), std::string::npos);
  EXPECT_NE(
      endpoint_line("[[endpoint.group_rate]]\ngroup = 0\nlimit = 2000000\n").find("1..4294967295"),
      std::string::npos);
}

TEST(RateKeys, a_need_above_the_limit__expect_a_problem) {
  EXPECT_NE(endpoint_line("rate = { need = 2000000, limit = 1000000 }")
                .find("has endpoint \"a\" need 2000000 bits/s, and send 1000000 at most"),
            std::string::npos);
}

TEST(RateKeys, a_lease_shorter_than_two_heartbeats__expect_a_problem_where_there_is_a_capacity) {
  const std::string hasty = "membership = { enabled = true, suspect_after_us = 7999 }\n";
  EXPECT_EQ(endpoint_line(hasty), "");
  EXPECT_NE(endpoint_line(hasty + "rate.capacity = 1000000000")
                .find("allowed: a suspect_after_us of at least 8000, or another rate.policy"),
            std::string::npos);
}

}  // namespace rate_keys_test
}  // namespace lambdacast::config
