// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/recovery_path.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "sim/fabrics/tree_switches.h"

namespace lambdacast::sim::fabrics {
namespace {

using congest::Graph;
using congest::LiveGraph;
using congest::NodeId;

// A line of switches 0 to 5, whose switch 6 hangs on 1 and 2 and fails. 1 floods and is the root,
// as the detector with the least number.
class RecoveryPathTest : public ::testing::Test {
 protected:
  void mend(bool above) {
    settings.improvements.above = above;
    TreeSwitches& switches = switches_.emplace_back(graph, settings, installed);
    Network<TreeSwitches> network(graph, {.loss = 0}, switches, 1);
    network.run_until(1'000'000);
    network.fail_node(6);
    network.run_until(20'000'000);
    live.fail_node(6);
    ASSERT_EQ(switches.at(1).father(), congest::kNoPort);
    ASSERT_TRUE(switches.at(5).mended());
  }
  [[nodiscard]] RecoveryPath path(bool above) const {
    return recovery_path(live, cores(), above, 0, 4);
  }
  [[nodiscard]] TreeCores cores() const {
    return [this](NodeId node) -> const trees::TreeCore& { return switches_.back().at(node); };
  }

  const Graph graph{7, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {1, 6}, {2, 6}}};
  LiveGraph live{graph};
  const trees::InstalledGroups installed{{{6, {4, {3, 5}}}}};
  trees::RepairSettings settings;
  std::deque<TreeSwitches> switches_;
};

TEST_F(RecoveryPathTest, published__expect_a_climb_to_the_root_and_back) {
  mend(false);
  const RecoveryPath of = path(false);
  EXPECT_EQ(of.links, 3u + 4u);
  EXPECT_EQ(of.copies.at(3), 1);
  EXPECT_EQ(of.copies.at(5), 1);
  EXPECT_EQ(of.copies.at(1), 1) << "the root";
}

TEST_F(RecoveryPathTest, above__expect_the_links_between_source_and_receivers_alone) {
  mend(true);
  const RecoveryPath of = path(true);
  EXPECT_EQ(of.links, 2u);
  EXPECT_EQ(of.copies, (std::map<NodeId, int>{{3, 1}, {4, 1}, {5, 1}}));
}

TEST_F(RecoveryPathTest, least_links__expect_the_union_of_the_ways) {
  mend(true);
  EXPECT_EQ(least_links(live, cores(), 4, std::vector<NodeId>{3, 5}), 2u);
  EXPECT_EQ(least_links(live, cores(), 4, std::vector<NodeId>{0, 3}), 4u);
  EXPECT_EQ(least_links(live, cores(), 0, std::vector<NodeId>{0}), 0u);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
