// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast-bench/harness/rack_plan.h"

#include <gtest/gtest.h>

namespace lambdacast::bench {
namespace {

TEST(RackPlanTest, make_a_rack_of_views__expect_every_setting_at_every_endpoint) {
  ViewPlan plan;
  plan.fabric.nodes = 3;
  plan.fabric.slots = 128;
  plan.groups = 2;
  plan.window = 256;
  plan.in_flight = 99;
  plan.ack_us = 7;
  plan.k = 2;
  plan.suspect_after_us = 5'000;
  plan.heartbeat_us = 100;
  plan.tie_breaker = 2;
  plan.order_domains = 4;
  plan.names = 2048;
  plan.rx_rate_bps = 1'000'000'000;
  const Planned rack = rack_of(plan);
  ASSERT_TRUE(rack) << rack.error();
  EXPECT_EQ(rack->fabric->slots, 128u);
  ASSERT_EQ(rack->endpoints.size(), 3u);
  for (const config::Endpoint& endpoint : rack->endpoints) {
    EXPECT_EQ(endpoint.groups, (std::vector{1u, 2u}));
    EXPECT_EQ(endpoint.reliability.receive_window_pkts, 256u);
    EXPECT_EQ(endpoint.reliability.hold_pkts, 512u);
    EXPECT_EQ(endpoint.reliability.in_flight_pkts, 99u);
    EXPECT_EQ(endpoint.faults.rx_rate_bps, 1'000'000'000u);
    const config::Membership& membership = endpoint.membership;
    EXPECT_TRUE(membership.enabled);
    EXPECT_EQ(membership.views.initial_nodes, 3u);
    EXPECT_EQ(membership.views.ack_ns, 7'000u);
    EXPECT_EQ(membership.views.suspect_after_ns, 5'000'000u);
    EXPECT_EQ(membership.views.heartbeat_ns, 100'000u);
    EXPECT_EQ(membership.views.tie_breaker, rack->endpoints[2].address.gid);
    EXPECT_EQ(membership.order.k, 2u);
    EXPECT_EQ(membership.order.domains, 4u);
    EXPECT_EQ(membership.groups.names, 2048u);
  }
}

TEST(RackPlanTest, ask_for_the_largest_windows__expect_pools_that_hold_them) {
  ViewPlan plan;
  plan.window = 32768;
  const Planned rack = rack_of(plan);
  ASSERT_TRUE(rack) << rack.error();
  EXPECT_GE(rack->endpoints[0].mbufs, 2u * 32768);
}

TEST(RackPlanTest, break_a_rule_of_the_configuration__expect_its_sentence) {
  ViewPlan plan;
  plan.suspect_after_us = 1'000;  // heartbeats are as far apart
  const Planned rack = rack_of(plan);
  ASSERT_FALSE(rack);
  EXPECT_NE(rack.error().find("suspect_after_us"), std::string::npos) << rack.error();
}

TEST(RackPlanTest, load_a_file_that_is_not_there__expect_a_sentence) {
  const Planned rack = load("/nonesuch.toml");
  ASSERT_FALSE(rack);
  EXPECT_EQ(rack.error(), "/nonesuch.toml: cannot be read: No such file or directory\n");
}

}  // namespace
}  // namespace lambdacast::bench
