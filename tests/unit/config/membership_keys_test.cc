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
      parse(kMinimal + "requests = { calls = 12, timeout_ms = 56, retry_us = 300, " +
                "entries = [\"10.0.0.7\", \"fd00::1\"] }\n",
            "t");
  ASSERT_TRUE(config) << text(config.error());
  const Requests& requests = config->endpoints[0].requests;
  EXPECT_EQ(requests.limits.calls, 12u);
  EXPECT_EQ(requests.limits.timeout_ns, 56'000'000u);
  EXPECT_EQ(requests.limits.retry_ns, 300'000u);
  EXPECT_EQ(requests.entries, (std::vector<std::string>{"10.0.0.7", "fd00::1"}));
}

TEST(RequestsKeys, values_of_a_member_expect_them_in_their_place) {
  const auto config = parse(kMinimal +
                                "requests = { tickets = 34, answers_bytes = 0, forwards = 0 }\n"
                                "membership = { enabled = true, sessions = 16 }\n",
                            "t");
  ASSERT_TRUE(config) << text(config.error());
  const Endpoint& endpoint = config->endpoints[0];
  EXPECT_EQ(endpoint.requests.limits.tickets, 34u);
  EXPECT_EQ(endpoint.requests.limits.answers_bytes, 0u);
  EXPECT_EQ(endpoint.requests.limits.forwards, 0u);
  EXPECT_EQ(endpoint.membership.groups.sessions, 16u);
}

TEST(RequestsKeys, what_the_endpoint_is_not_there_for_expect_line_and_key) {
  const std::string forwards = endpoint_line("requests.forwards = 1");
  EXPECT_NE(forwards.find("endpoint.requests.forwards: 1 is for members of the view, and "),
            std::string::npos)
      << forwards;
  EXPECT_NE(forwards.find(" has no membership"), std::string::npos) << forwards;
  const std::string entries =
      endpoint_line("membership.enabled = true\nrequests.entries = [\"10.0.0.2\"]");
  EXPECT_NE(entries.find(" is for callers outside the view, and "), std::string::npos) << entries;
  const std::string bad = endpoint_line("requests.entries = [\"239.1.1.1\"]");
  EXPECT_NE(bad.find("endpoint.requests.entries: "), std::string::npos) << bad;
}

TEST(RequestsKeys, defaults_for_members_expect_them_allowed_where_there_is_a_caller) {
  const auto config = parse(
      "[endpoint_defaults.requests]\nforwards = 9\nentries = [\"10.0.0.9\"]\n" + kMinimal, "t");
  EXPECT_TRUE(config) << text(config.error());
}

TEST(RequestsKeys, one_for_all_endpoints_and_none_expect_the_file_s_and_the_default) {
  const auto config = parse(
      "[endpoint_defaults.requests]\ncalls = 12\n" + kMinimal + "requests.retry_us = 340\n", "t");
  ASSERT_TRUE(config) << text(config.error());
  const group::RequestsConfig& limits = config->endpoints[0].requests.limits;
  EXPECT_EQ(limits.calls, 12u);
  EXPECT_EQ(limits.retry_ns, 340'000u);
  EXPECT_EQ(limits.timeout_ns, 1'000'000'000u);
}

TEST(RequestsKeys, bad_value_expect_file_line_and_key) {
  const std::string problem = endpoint_line("requests.calls = 65537");
  EXPECT_NE(problem.find(": endpoint.requests.calls: 65537 is not allowed"), std::string::npos)
      << problem;
  EXPECT_EQ(problem.substr(0, 2), "t:") << problem;
}

}  // namespace membership_keys_test
}  // namespace lambdacast::config
