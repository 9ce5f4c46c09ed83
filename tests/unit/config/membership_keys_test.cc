// SPDX-License-Identifier: BSD-3-Clause
// Keys of [endpoint.membership] and [endpoint.requests]: bounds, and where values go.
#include "support.h"

namespace lambdacast::config {
namespace membership_keys_test {

std::string endpoint_line(const std::string& line) { return problems_of(kMinimal + line); }

TEST(MembershipKeys, values_out_of_range_expect_them_named_with_what_is_allowed) {
  const std::pair<const char*, const char*> bad[] = {
      {"membership.initial_nodes = 0", "1..80 nodes"},
      {"membership.minimum_partition = 81", "1..80 nodes"},
      {"membership.heartbeat_us = 9", "10..1000000 us"},
      {"membership.suspect_after_us = 99", "100..600000000 us"},
      {"membership.k = 80", "1..79 members"},
      {"membership.order_domains = 1000", "a power of two, 1..65536"},
      {"membership.names = 512", "a power of two, 1024..1048576 groups"},
      {"membership.handlers = 63", "a power of two, 64..65536 locks"},
      {"membership.state_bytes = 100000", "a power of two, 65536..1073741824 bytes"},
      {"membership.tie_breaker = \"nobody\"", "an IPv4 or IPv6 unicast address"},
      {"requests.calls = 0", "1..65536 calls"},
      {"requests.tickets = 65537", "1..65536 requests"},
      {"requests.timeout_ms = 600001", "1..600000 ms"},
  };
  for (const auto& [line, allowed] : bad) {
    const std::string problem = endpoint_line(line);
    EXPECT_NE(problem.find(std::string("is not allowed; allowed: ") + allowed + "\n"),
              std::string::npos)
        << line << ": " << problem;
  }
}

TEST(MembershipKeys, every_value_expect_it_in_its_place) {
  const auto config = parse(kMinimal +
                                "membership = { enabled = true, initial_nodes = 5, "
                                "minimum_partition = 2, tie_breaker = \"10.0.0.1\", "
                                "heartbeat_us = 100, suspect_after_us = 5000, retry_us = 50, "
                                "ack_us = 3, k = 2, order_domains = 64, names = 2048, "
                                "handlers = 128, state_bytes = 1048576 }\n",
                            "t");
  ASSERT_TRUE(config) << text(config.error());
  const Membership& m = config->endpoints[0].membership;
  EXPECT_TRUE(m.enabled);
  EXPECT_EQ(m.views.initial_nodes, 5u);
  EXPECT_EQ(m.views.minimum_partition, 2u);
  EXPECT_EQ(m.views.tie_breaker, wire::gid_from_ipv4(0x0a000001));
  EXPECT_EQ(m.tie_breaker, "10.0.0.1");
  EXPECT_EQ(m.views.heartbeat_ns, 100'000u);
  EXPECT_EQ(m.views.suspect_after_ns, 5'000'000u);
  EXPECT_EQ(m.views.retry_ns, 50'000u);
  EXPECT_EQ(m.views.ack_ns, 3'000u);
  EXPECT_EQ(m.order.k, 2u);
  EXPECT_EQ(m.order.domains, 64u);
  EXPECT_EQ(m.groups.names, 2048u);
  EXPECT_EQ(m.groups.state_bytes, 1048576u);
  EXPECT_EQ(m.groups.handlers, 128u);
}

TEST(RequestsKeys, every_value_expect_it_in_its_place) {
  const auto config =
      parse(kMinimal + "requests = { calls = 12, tickets = 34, timeout_ms = 56 }\n", "t");
  ASSERT_TRUE(config) << text(config.error());
  const group::GroupConfig& groups = config->endpoints[0].membership.groups;
  EXPECT_EQ(groups.calls, 12u);
  EXPECT_EQ(groups.tickets, 34u);
  EXPECT_EQ(groups.timeout_ns, 56'000'000u);
}

TEST(RequestsKeys, one_for_all_endpoints_and_none_expect_the_file_s_and_the_default) {
  const auto config = parse(
      "[endpoint_defaults.requests]\ncalls = 12\n" + kMinimal + "requests.tickets = 34\n", "t");
  ASSERT_TRUE(config) << text(config.error());
  const group::GroupConfig& groups = config->endpoints[0].membership.groups;
  EXPECT_EQ(groups.calls, 12u);
  EXPECT_EQ(groups.tickets, 34u);
  EXPECT_EQ(groups.timeout_ns, 1'000'000'000u);
}

TEST(RequestsKeys, bad_value_expect_file_line_and_key) {
  const std::string problem = endpoint_line("requests.calls = 65537");
  EXPECT_NE(problem.find(": endpoint.requests.calls: 65537 is not allowed"), std::string::npos)
      << problem;
  EXPECT_EQ(problem.substr(0, 2), "t:") << problem;
}

}  // namespace membership_keys_test
}  // namespace lambdacast::config
