// SPDX-License-Identifier: BSD-3-Clause
// The node as the data path instantiates it: what it is made of, and what it gives back. Its stages
// have tests of their own (node_*_test.cc).
#include "dpdk/mbuf_node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support.h"

namespace lambdacast::dpdk {
namespace {

std::string stages_of(const test::RackSpec& spec) {
  const auto endpoint = test::started(test::rack_config(spec), 0);
  std::string names;
  endpoint->node().for_each_stage(
      [&](node::StageId, node::Stage& stage) { names += std::string(stage.name()) + " "; });
  return names;
}

TEST(MbufNodeTest, walk_its_stages__expect_the_order_of_a_turn) {
  EXPECT_EQ(stages_of({}), "receive reliability ordering publisher rate_control ");
  EXPECT_EQ(stages_of({.defaults = "coalesce_us = 0"}),
            "receive reliability ordering rate_control ");
}

TEST(MbufNodeTest, make_one_without_membership__expect_no_view_no_groups_no_neighbor) {
  const auto endpoint = test::started(test::rack_config({}), 0);
  MbufNode& node = endpoint->node();
  EXPECT_EQ(node.view(), nullptr);
  EXPECT_EQ(node.groups(), nullptr);
  EXPECT_EQ(node.neighbor(), nullptr);
  EXPECT_FALSE(node.publisher().takes(wire::Qos::kTotallyOrdered));
  EXPECT_TRUE(node.publisher().takes(wire::Qos::kSourceOrdered));
}

TEST(MbufNodeTest, destroy_one_with_publications_inside__expect_every_packet_back) {
  test::StageEnv env;
  node::NodeConfig config;
  config.identity = test::started(test::rack_config({}), 0)->identity();
  auto node = MbufNode::create(config, env.env);
  ASSERT_TRUE(node) << node.error().message;
  Loan loans[8];
  ASSERT_EQ((*node)->publisher().loan(loans), 8u);
  EXPECT_EQ((*node)->publisher().publish(loans), 8u);
  EXPECT_EQ((*node)->publications_waiting(), 8u);
  EXPECT_EQ(env.pool.away(), 8u);
  node->reset();
  EXPECT_EQ(env.pool.away(), 0u);
}

}  // namespace
}  // namespace lambdacast::dpdk
