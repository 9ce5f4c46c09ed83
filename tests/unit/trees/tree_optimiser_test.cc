// SPDX-License-Identifier: BSD-3-Clause
#include "trees/tree_optimiser.h"

#include <gtest/gtest.h>

#include "many_optimisers.h"
#include "tree_cases.h"
#include "trees/set_cover_tree.h"
#include "trees/spanner_trees.h"

namespace lambdacast::trees {
namespace {

std::vector<InstalledGroups::Group> some_groups(const std::string& spec, size_t count) {
  const sim::fabrics::Fabric fabric = test::fabric_of(spec);
  base::SplitMix64 random(count);
  std::vector<InstalledGroups::Group> groups;
  for (size_t i = 0; i < count; ++i) {
    test::Draw drawn = test::draw(fabric, 1 + random.below(8), random);
    std::sort(drawn.receivers.begin(), drawn.receivers.end());
    groups.push_back({drawn.source, std::move(drawn.receivers)});
  }
  return groups;
}

// The trees of one hand on the spanner that the switches have found.
void expect_trees_of_one_hand(const ManyOptimisers& all) {
  const Graph spanner = part_of(all.graph(), all.spanner());
  SetCoverTrees one_hand(spanner);
  for (size_t group = 0; group < all.index().groups(); ++group) {
    const auto& of = all.index().group(group);
    one_hand.root(of.source);
    Tree tree;
    one_hand.build(of.receivers, 0, tree);
    std::vector<std::pair<NodeId, NodeId>> wanted;
    for (const Tree::Branch& branch : tree.branches)
      if (branch.arc != kNone) wanted.emplace_back(tree.branches[branch.parent].node, branch.node);
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(all.tree(group), wanted) << "group " << group;
  }
}

TEST(TreeOptimiser, switches_that_begin_at_any_moment__expect_the_trees_of_one_hand) {
  for (const char* spec : test::kSmallGraphs) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      RepairSettings settings;
      settings.spanner_k = static_cast<uint32_t>(1 + seed % 3);
      settings.improvements.sources = seed % 2 == 0;
      settings.improvements.ranges = seed > 2;
      ManyOptimisers all(spec, some_groups(spec, 40), settings);
      ASSERT_TRUE(all.run(seed)) << spec;
      expect_trees_of_one_hand(all);
    }
  }
}

TEST(TreeOptimiser, no_group__expect_an_end_and_a_spanner) {
  ManyOptimisers all("hamming:3,2", {}, {});
  ASSERT_TRUE(all.run(1));
  EXPECT_GE(all.spanner().size(), all.graph().nodes() - 1);
}

class NoSink final : public RecordSink {
 public:
  void push(size_t, std::span<const uint8_t>) override {}
};

// A switch has room for one cluster of each neighbour in a round.
TEST(TreeOptimiser, a_neighbour_that_tells_many_clusters__expect_the_first_alone_to_count) {
  const sim::fabrics::Fabric fabric = test::fabric_of("ring:5");
  const InstalledGroups installed{{}};
  const GroupIndex index(installed, {});
  NoSink sink;
  const RepairSettings settings{.spanner_k = 1};
  TreeOptimiser optimiser(fabric.graph, 0, settings, sink);
  congest::Filter alive(2);
  alive.set(0);
  alive.set(1);
  optimiser.begin({index, {}, alive, congest::kNoPort, congest::Filter(2), 5, 1});
  const auto say = [&](size_t port, std::initializer_list<uint8_t> bytes) {
    const std::vector<uint8_t> record(bytes);
    std::span<const uint8_t> body(record);
    optimiser.on_record(port, *take_record(body));
  };
  constexpr auto kCluster = static_cast<uint8_t>(RecordKind::kCluster);
  constexpr auto kRound = static_cast<uint8_t>(RecordKind::kRound);
  say(0, {kCluster, 0, 0, 1});
  say(1, {kCluster, 0, 0, 1});  // the same: no link of this port is needed
  for (uint8_t other = 2; other < 100; ++other) say(1, {kCluster, 0, 0, other});
  for (int round = 0; round < 2; ++round)
    for (const size_t port : {0, 1}) say(port, {kRound, 0});
  EXPECT_TRUE(optimiser.spanner().test(0));
  EXPECT_FALSE(optimiser.spanner().test(1));
}

TEST(TreeOptimiser, clear__expect_nothing_needed_and_nothing_finished) {
  ManyOptimisers all("ring:5", some_groups("ring:5", 3), {});
  ASSERT_TRUE(all.run(2));
  EXPECT_TRUE(all.at(1).needs(0));
  TreeOptimiser copy = all.at(1);
  copy.clear();
  EXPECT_FALSE(copy.needs(0));
  EXPECT_FALSE(copy.finished());
}

}  // namespace
}  // namespace lambdacast::trees
