// SPDX-License-Identifier: BSD-3-Clause
// What membership asks of an endpoint's other keys.
#include "support.h"

namespace lambdacast::config {
namespace membership_check_test {

std::string endpoint_line(const std::string& line) { return problems_of(kMinimal + line); }

TEST(MembershipCheck, traffic_in_total_order_expect_membership_wanted) {
  const std::pair<const char*, wire::Qos> levels[] = {{"total", wire::Qos::kTotallyOrdered},
                                                      {"k", wire::Qos::kKResilient},
                                                      {"majority", wire::Qos::kMajority},
                                                      {"resilient", wire::Qos::kTotallyResilient}};
  for (const auto& [word, qos] : levels) {
    const std::string line = std::string("traffic = { qos = \"") + word + "\" }\n";
    EXPECT_EQ(endpoint_line(line), std::string("t:8: endpoint.traffic.qos: \"") + word +
                                       "\" is total order, and endpoint \"a\" has no membership; "
                                       "allowed: membership.enabled = true, or \"unreliable\", "
                                       "\"reliable\" or \"source\"\n");
    const auto config = parse(kMinimal + line + "membership = { enabled = true }\n", "t");
    ASSERT_TRUE(config) << text(config.error());
    EXPECT_EQ(config->endpoints[0].traffic.qos, qos);
    EXPECT_EQ(name(qos), word);
  }
}

TEST(MembershipCheck, impatience_expect_a_problem) {
  EXPECT_EQ(endpoint_line("membership = { enabled = true, suspect_after_us = 3999 }"),
            "t:8: endpoint.membership.suspect_after_us: 3999 lets endpoint \"a\" be suspected "
            "after 3999 us, and it gives a sign of life every 1000 us; allowed: a "
            "suspect_after_us of at least 4000, or a shorter heartbeat_us\n");
}

TEST(MembershipCheck, mixed_with_one_domain_expect_a_problem) {
  EXPECT_EQ(endpoint_line("membership = { enabled = true, order = \"mixed\", order_domains = 1 }"),
            "t:8: endpoint.membership.order: \"mixed\" shares the domains out, and endpoint "
            "\"a\" has one; allowed: order_domains of at least 2, or \"sequencer\" or \"ring\"\n");
  for (const char* const word : {"sequencer", "ring", "mixed"}) {
    EXPECT_EQ(
        endpoint_line(std::string("membership = { enabled = true, order = \"") + word + "\" }"),
        "");
  }
  EXPECT_EQ(endpoint_line("membership = { enabled = true, order = \"ring\", order_domains = 1 }"),
            "");
}

// No newcomer would ever be informed.
TEST(MembershipCheck, a_state_smaller_than_a_full_directory_expect_a_problem) {
  EXPECT_EQ(endpoint_line("membership = { enabled = true, names = 1024, handlers = 64, "
                          "state_bytes = 65536 }"),
            "t:8: endpoint.membership.state_bytes: 65536 has no room for the 142088 bytes of a "
            "full directory of 1024 names and 64 locks, which endpoint \"a\" gets when it joins a "
            "view; allowed: a state_bytes of at least 262144\n");
  EXPECT_EQ(endpoint_line("membership = { enabled = true, names = 1024, handlers = 64, "
                          "state_bytes = 262144 }"),
            "");
}

TEST(MembershipCheck, stages_on_several_lcores_expect_a_problem_if_enabled) {
  EXPECT_EQ(endpoint_line("stages = { ordering = 1 }"), "");
  EXPECT_NE(endpoint_line("stages = { ordering = 1 }\nmembership = { enabled = true }")
                .find("wants the stages of endpoint \"a\" in one place"),
            std::string::npos);
}

TEST(MembershipCheck, groups_among_those_with_names_expect_a_problem_if_enabled) {
  const std::string groups = "groups = [1, 2147483647, 2147483648, 4294967295]\n";
  const std::string traffic = "traffic = { group = 2147483648 }\n";
  EXPECT_EQ(endpoint_line(groups + traffic), "");
  const std::string enabled = "membership = { enabled = true }\n";
  EXPECT_EQ(endpoint_line("groups = [1, 2147483647]\ntraffic = { group = 2147483647 }\n" + enabled),
            "");
  EXPECT_EQ(endpoint_line(enabled + groups),
            "t:9: endpoint.groups: [ 1, 2147483647, 2147483648, 4294967295 ] has 2147483648, a "
            "number of groups with names, and endpoint \"a\" has membership; allowed: numbers up "
            "to 2147483647\n");
  EXPECT_EQ(endpoint_line(enabled + traffic),
            "t:9: endpoint.traffic.group: 2147483648 is a number of groups with "
            "names, and endpoint \"a\" has membership; allowed: numbers up to 2147483647\n");
}

}  // namespace membership_check_test
}  // namespace lambdacast::config
