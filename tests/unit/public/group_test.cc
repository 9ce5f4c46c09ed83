// SPDX-License-Identifier: BSD-3-Clause
// Nothing of the tree but the public headers: what an application includes is enough.
#include "lambdacast/group.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace lambdacast {
namespace {

TEST(Group, EveryResultAndEndHasWordsOfItsOwn) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(Result::kSuspended); ++i)
    EXPECT_TRUE(words.insert(text(static_cast<Result>(i))).second) << i;
  for (int i = 0; i <= static_cast<int>(End::kStateTooLarge); ++i)
    EXPECT_TRUE(words.insert(text(static_cast<End>(i))).second) << i;
  EXPECT_FALSE(words.contains(""));
}

TEST(NodeName, NamesAreOrderedByGidThenQueuePairThenIncarnation) {
  const auto name = [](uint8_t last, uint32_t qpn, uint32_t incarnation) {
    NodeName made{{}, qpn, incarnation};
    made.gid.bytes[15] = last;
    return made;
  };
  const NodeName names[] = {name(1, 9, 9), name(2, 1, 9), name(2, 2, 1), name(2, 2, 2)};
  for (size_t i = 0; i < std::size(names); ++i) {
    for (size_t j = 0; j < std::size(names); ++j) {
      EXPECT_EQ(name_before(names[i], names[j]), i < j);
      EXPECT_EQ(names[i] == names[j], i == j);
    }
  }
}

TEST(FencingToken, NewerOnesOfOneLineageAreAdmitted) {
  const FencingToken newest{7, 3, 9};
  EXPECT_TRUE(admits(newest, newest));
  EXPECT_TRUE(admits(newest, {7, 3, 10}));
  EXPECT_TRUE(admits(newest, {7, 4, 0})) << "a later view's beginning";
  EXPECT_FALSE(admits(newest, {7, 3, 8}));
  EXPECT_FALSE(admits(newest, {7, 2, 99}));
  EXPECT_FALSE(admits(newest, {8, 4, 0})) << "of another lineage";
}

// An application needs to override no more than the delivery.
TEST(Handlers, OnlyDeliveriesHaveToBeHandled) {
  struct Counting final : Handlers {
    void delivered(const Delivery&, std::span<const uint8_t> message) override {
      bytes += message.size();
    }
    size_t bytes = 0;
  } counting;
  Handlers& handlers = counting;
  const uint8_t message[3] = {};
  handlers.view({});
  handlers.delivered({}, message);
  handlers.handler({});
  handlers.gap({});
  std::vector<uint8_t> state;
  handlers.snapshot(state);
  handlers.restore(state);
  handlers.state_lost();
  handlers.ended(End::kLeft);
  EXPECT_TRUE(state.empty());
  EXPECT_EQ(counting.bytes, 3u);
}

}  // namespace
}  // namespace lambdacast
