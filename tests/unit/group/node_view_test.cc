// A newcomer of the node view is told of all groups.
#include "group_network.h"

namespace lambdacast::group {
namespace {

TEST(NodeView, ANewcomerIsToldOfAllGroups) {
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

TEST(NodeView, WhoDepartsIsOutOfItsGroups) {
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

TEST(NodeView, AnotherTellsWhenWhoTellsDeparts) {
  GroupNetwork network(3);
  network.start(2);
  EXPECT_EQ(network[0].join("a"), Result::kOk);
  network.settle();
  network.change([](auto&) { return false; }, 1);
  const wire::StreamName gone = network[0].self;
  network.change([&](auto& node) { return node.self == gone; }, 0);
  network.settle();
  EXPECT_TRUE(network[1].core.informed());
  EXPECT_EQ(network[1].core.directory().find("a")->members.all, 0u);
}

TEST(NodeView, NewcomersOfTwoViewsAreToldTogether) {
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

TEST(NodeView, IfNobodyKnowsTheGroupsBeginAnew) {
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

}  // namespace
}  // namespace lambdacast::group
