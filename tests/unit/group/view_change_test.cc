// SPDX-License-Identifier: BSD-3-Clause
// New views of the nodes: departed nodes are out of their groups, newcomers are told of all groups.
#include "group_network.h"

namespace lambdacast::group {
namespace {

TEST(ViewChange, ANewcomerIsToldOfAllGroups) {
  GroupNetwork network(1);
  network.start(2);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(network[0].join(name), Result::kOk);
  network.settle();
  network.change([](auto&) { return false; }, 1);
  EXPECT_FALSE(network[2].core.informed());
  EXPECT_EQ(network[2].join("b"), Result::kOk) << "it waits";
  network.settle();
  EXPECT_TRUE(network[2].core.informed());
  EXPECT_EQ(network[2].core.directory().size(), 3u);
  EXPECT_EQ(network[2].core.number_of("c"), network[0].core.number_of("c"));
  EXPECT_TRUE(network[2].core.is_member("b"));
  EXPECT_EQ(network[0].application("b").members, (std::vector{network[0].self, network[2].self}));
}

TEST(ViewChange, WhoDepartsIsOutOfItsGroups) {
  GroupNetwork network(2);
  network.start(3);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(network[i].join("g"), Result::kOk);
  network.settle();
  auto& stays = network[2];
  const wire::StreamName gone = network[1].self;
  network.change([&](auto& node) { return node.self == gone; }, 0);
  EXPECT_EQ(stays.application("g").members, (std::vector{network[0].self, stays.self}));
  EXPECT_EQ(stays.application("g").departed, std::vector{gone});
}

TEST(ViewChange, AnotherTellsWhenWhoTellsDeparts) {
  GroupNetwork network(3);
  network.start(2);
  EXPECT_EQ(network[0].join("a"), Result::kOk);
  network.settle();
  network.change([](auto&) { return false; }, 1);
  const wire::StreamName gone = network[0].self;
  network.change([&](auto& node) { return node.self == gone; }, 0);
  network.settle();
  EXPECT_TRUE(network[1].core.informed());
  EXPECT_EQ(network[1].core.directory().find("a")->members.all, NodeSet{});
}

TEST(ViewChange, NewcomersOfTwoViewsAreToldTogether) {
  GroupNetwork network(4);
  network.start(1);
  EXPECT_EQ(network[0].join("a"), Result::kOk);
  network.settle();
  network.change([](auto&) { return false; }, 1);
  network.change([](auto&) { return false; }, 1);
  network.settle();
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(network[i].core.number_of("a")) << i;
  network.change([&](auto& node) { return &node == &network[0]; }, 1);
  network.settle();
  EXPECT_TRUE(network[2].core.number_of("a")) << "told by the second, who knows that it is told";
}

TEST(ViewChange, IfNobodyKnowsTheGroupsBeginAnew) {
  GroupNetwork network(5);
  network.start(1);
  EXPECT_EQ(network[0].join("a"), Result::kOk);
  network.settle();
  network.change([](auto&) { return false; }, 2);
  const wire::StreamName gone = network[0].self;
  network.change([&](auto& node) { return node.self == gone; }, 0);
  EXPECT_EQ(network[0].join("b"), Result::kOk);
  network.settle();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(network[i].core.informed());
    EXPECT_FALSE(network[i].core.number_of("a"));
    EXPECT_TRUE(network[i].core.number_of("b"));
    EXPECT_EQ(network[i].core.counters().states_lost, i == 0 ? 1u : 0u) << "who tells them counts";
  }
}

// An ODBSS has up to 80 transmitters.
constexpr size_t kMost = std::min<size_t>(80, wire::kMaxMembers);

void expect_all_equal(GroupNetwork& network, size_t members_of_g) {
  for (auto& node : network.nodes) {
    EXPECT_TRUE(node->core.informed());
    EXPECT_EQ(node->core.counters().refused, 0u);
    const Members& members = node->core.directory().find("g")->members;
    EXPECT_EQ(members.all.count(), members_of_g);
    EXPECT_TRUE(members.waiting.empty());
    if (!node->core.is_member("g")) continue;
    EXPECT_EQ(node->application("g").members.size(), members_of_g);
    EXPECT_EQ(node->application("g").hash, network[0].application("g").hash);
  }
}

TEST(ViewChange, AsManyMembersAsAViewMayHave) {
  GroupNetwork network(6);
  network.start(kMost - 2);
  for (size_t i = 0; i < kMost - 3; ++i) EXPECT_EQ(network[i].join("g"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].publish_to("g", 1), Result::kOk);
  network.settle();
  expect_all_equal(network, kMost - 3);
  network.change([](auto&) { return false; }, 2);
  for (size_t i = kMost - 3; i < kMost; ++i) EXPECT_EQ(network[i].join("g"), Result::kOk);
  network.settle();
  expect_all_equal(network, kMost);
  const wire::StreamName last = network[kMost - 1].self;
  const wire::StreamName first = network[0].self;
  network.change([&](auto& node) { return node.self == first || node.self == last; }, 2);
  network.settle();
  expect_all_equal(network, kMost - 2);
  EXPECT_EQ(network[5].application("g").departed, (std::vector{first, last}));
}

// Members that wait, with ranks beyond the first word, on their way into a view that has one word.
TEST(ViewChange, AViewThatNeedsOneWordBehindOneThatNeedsTwo) {
  static_assert(wire::kMaxMembers >= 70);
  GroupNetwork network(7);
  network.start(70);
  EXPECT_EQ(network[0].join("g"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].publish_to("g", 1), Result::kOk);
  network.settle();
  for (const size_t rank : {1, 66, 69}) EXPECT_EQ(network[rank].join("g"), Result::kOk);
  for (auto& node : network.nodes) node->poll();
  network.deliver_ordered();
  network[0].poll();
  network.order_only(network[0], 1);  // a piece of several
  network.deliver_ordered();
  size_t goes = 0;
  network.change([&](auto& node) { return &node != &network[0] && ++goes > 1 && goes < 22; }, 1);
  ASSERT_EQ(network.nodes.size(), 51u);
  network.settle();
  expect_all_equal(network, 4);
  network.change([](auto&) { return false; }, 14);
  network.settle();
  expect_all_equal(network, 4);
}

}  // namespace
}  // namespace lambdacast::group
