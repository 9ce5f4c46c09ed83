// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/rate_scenario.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

TEST(RateScenario, publish_at_a_rate__expect_that_many_messages_until_then) {
  Scenario scenario = rate_scenario({.nodes = 4}, {});
  constexpr uint64_t kBps = 1'000'000'000;
  const uint64_t begin_ns = scenario.nodes[0].traffic.start_ns;
  const uint64_t frame_ns = rate_frame_bytes(1'000) * 8;  // at 1 Gbit/s
  publish_at(scenario, 0, 1'000, kBps, begin_ns + 10 * frame_ns);
  publish_at(scenario, 2, 1'000, kBps / 2, begin_ns + 11 * frame_ns);
  EXPECT_EQ(scenario.nodes[0].traffic.messages, 10u);
  EXPECT_EQ(scenario.nodes[0].traffic.publish_every_ns, frame_ns);
  EXPECT_EQ(scenario.nodes[2].traffic.messages, 5u);
  EXPECT_EQ(scenario.nodes[2].traffic.start_ns, begin_ns + frame_ns);  // half of its interval
}

TEST(RateScenario, frame_of_a_kilobyte__expect_its_headers_and_what_the_wire_takes) {
  EXPECT_EQ(rate_frame_bytes(1'004) - rate_frame_bytes(1'000), 4u);
  EXPECT_GT(rate_frame_bytes(1'000), 1'000u + wire::kTransportHeaderBytes + 70);
}

TEST(RateScenario, end__expect_rest_behind_what_is_measured) {
  Scenario scenario = rate_scenario({.nodes = 3}, {});
  end_rate_scenario(scenario, 50'000'000);
  EXPECT_EQ(scenario.epilogue_ns, 70'000'000u);
  EXPECT_EQ(scenario.end_ns, 90'000'000u);
}

}  // namespace
}  // namespace lambdacast::sim
