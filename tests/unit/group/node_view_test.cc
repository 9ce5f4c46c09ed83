// SPDX-License-Identifier: BSD-3-Clause
#include "group/node_view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ranks.h"

namespace lambdacast::group {
namespace {

wire::StreamName node(uint32_t i) { return {wire::gid_from_ipv4(0x0a000001 + i), 0x11, 100 + i}; }

TEST(NodeView, RanksOfThisViewAndOfTheOneBefore) {
  NodeView view(node(2));
  EXPECT_EQ(view.epoch(), 0u);
  view.begin(7, std::vector{node(0), node(1), node(2)});
  EXPECT_TRUE(view.first());
  EXPECT_EQ(view.own_rank(), 2u);
  EXPECT_EQ(view.self(), ranks(0b100));
  EXPECT_EQ(view.beginning(), (EventId{7, wire::kViewIndex}));
  EXPECT_EQ(view.rank_of(node(1)), 1u);
  EXPECT_EQ(view.rank_of(node(3)), view.size());
  EXPECT_TRUE(view.now().empty());

  view.begin(8, std::vector{node(0), node(2), node(3)});
  EXPECT_FALSE(view.first());
  EXPECT_EQ(view.own_rank(), 1u);
  EXPECT_TRUE(std::ranges::equal(view.now(), std::vector<uint8_t>{0, kGone, 1}));
  NodeView::Names names;
  EXPECT_TRUE(std::ranges::equal(view.names(ranks(0b110), names), std::vector{node(2), node(3)}));
  EXPECT_TRUE(std::ranges::equal(view.names_before(ranks(0b010), names), std::vector{node(1)}));
  view.end();
  EXPECT_EQ(view.epoch(), 0u);
  EXPECT_EQ(view.size(), 0u);
}

TEST(NodeView, AsManyMembersAsThereMayBe) {
  std::vector<wire::StreamName> nodes;
  for (uint32_t i = 0; i < wire::kMaxMembers; ++i) nodes.push_back(node(i));
  NodeView view(nodes.back());
  view.begin(1, nodes);
  std::rotate(nodes.begin(), nodes.begin() + 1, nodes.end());
  view.begin(2, nodes);
  EXPECT_EQ(view.own_rank(), wire::kMaxMembers - 2);
  EXPECT_EQ(view.now()[0], wire::kMaxMembers - 1);
  NodeView::Names names;
  EXPECT_TRUE(std::ranges::equal(view.names(NodeSet::first(view.size()), names), nodes));
}

TEST(Members, MoveIntoTheRanksOfANewView) {
  const size_t last = NodeSet::kCapacity - 1;
  std::vector<uint8_t> now(NodeSet::kCapacity, kGone);
  now[0] = 1, now[63] = 64, now[64] = 63, now[last] = 0;
  Members members{NodeSet::first(NodeSet::kCapacity), NodeSet::of(63), NodeSet::of(63)};
  members.move(now);
  NodeSet all = NodeSet::first(2);
  all.add(63);
  all.add(64);
  EXPECT_EQ(members, (Members{all, NodeSet::of(64), NodeSet::of(64)}));
  EXPECT_EQ(members.holders(), all - NodeSet::of(64));
  EXPECT_FALSE(members.orphaned());
  members.leave(members.holders());
  EXPECT_TRUE(members.orphaned());
  members.begin_anew();
  EXPECT_EQ(members, (Members{NodeSet::of(64), {}, {}}));
}

}  // namespace
}  // namespace lambdacast::group
