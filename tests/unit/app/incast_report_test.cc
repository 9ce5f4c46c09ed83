// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "lambdacast-bench/cases/incast.h"

namespace lambdacast::bench {
namespace {

// Two nodes send a thousand messages each; the slow one got a part of them.
IncastRow row_of(uint64_t at_slow) {
  IncastRow row;
  row.elapsed_s = 2;
  row.sent_wire_bytes = 100'000'000;
  row.slow_delivered = at_slow;
  row.total_published = 2'000;
  row.published_by = {0, 1'000, 1'000};
  row.by_node = {at_slow, 1'000, 1'000};
  return row;
}
IncastOptions three_nodes(wire::Qos qos = wire::Qos::kUnreliable) {
  IncastOptions options;
  options.rack.fabric.nodes = 3;
  options.qos = qos;
  options.policies = {rate_control::Policy::kNone};
  return options;
}

TEST(Incast, read_a_row__expect_its_parts) {
  const IncastOptions options = three_nodes();
  const IncastRow row = row_of(500);
  EXPECT_NEAR(row.sum_ratio(options), 0.4e9 / 0.97e9, 1e-9);
  EXPECT_NEAR(row.slow_lost_ratio(options), 0.75, 1e-9);
  EXPECT_EQ(row.most_lost_elsewhere(options), 0);
  EXPECT_NEAR(row.goodput_bps(options), 250 * 8 * 4'048, 1e-3);
}

TEST(Incast, messages_miss__expect_only_unreliable_ones_sound) {
  EXPECT_TRUE(row_of(500).sound(three_nodes()));
  EXPECT_FALSE(row_of(500).sound(three_nodes(wire::Qos::kSourceOrdered)));
  EXPECT_TRUE(row_of(2'000).sound(three_nodes(wire::Qos::kSourceOrdered)));
  EXPECT_FALSE(row_of(2'001).sound(three_nodes()));
}

TEST(Incast, read_a_report__expect_a_row_for_each_policy) {
  const IncastOptions options = three_nodes();
  const Json object = object_of(readings_of({{row_of(500)}}, options));
  ASSERT_EQ(object["rows"].size(), 1u);
  for (const char* key : {"policy", "qos", "sum_ratio", "lost_ratio", "goodput_bps"})
    EXPECT_TRUE(object["rows"][0].contains(key)) << key;
  EXPECT_EQ(object["rows"][0]["policy"], "none");
  EXPECT_FALSE(IncastReport{}.sound(options));
}

TEST(Incast, plan_its_rack__expect_one_slow_receiver_and_the_policy) {
  const Planned plan = rack_of(three_nodes(), rate_control::Policy::kFair);
  ASSERT_TRUE(plan) << plan.error();
  EXPECT_EQ(plan->endpoints[kSlowNode].faults.rx_rate_bps, 1'000'000'000u);
  EXPECT_EQ(plan->endpoints[1].faults.rx_rate_bps, 0u);
  EXPECT_EQ(plan->endpoints[1].rate.policy, rate_control::Policy::kFair);
  EXPECT_TRUE(plan->endpoints[1].membership.enabled);
}

TEST(Incast, offer_three_times_what_one_receives__expect_each_senders_part) {
  EXPECT_EQ(rate_of(three_nodes(), 1'250), 150'000u);
}

}  // namespace
}  // namespace lambdacast::bench
