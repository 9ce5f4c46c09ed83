// SPDX-License-Identifier: BSD-3-Clause
#include "group/catch_up.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ranks.h"

namespace lambdacast::group {
namespace {

constexpr EventId kJoin{3, 7};

wire::GroupPiece piece(uint64_t total, uint64_t offset) {
  return {kJoin.epoch, kJoin.index, {}, total, offset, 1};
}

TEST(CatchUp, TheStateAndWhatCameBehindIt) {
  Budget budget(1000);
  CatchUp catch_up(budget);
  catch_up.expect(kJoin, {ranks(0b11), {}, {}, true});
  EXPECT_EQ(catch_up.as().members, ranks(0b11));
  EXPECT_TRUE(catch_up.as().suspended);
  const std::vector<uint8_t> bytes(100, 1);
  EXPECT_EQ(catch_up.take(piece(200, 0), bytes), CatchUp::Taken::kPart);
  EXPECT_TRUE(catch_up.keep(Delivery{}, bytes));
  const std::vector<uint8_t> request{'q'};
  EXPECT_TRUE(catch_up.keep(KeptRequest{}, request));
  EXPECT_TRUE(catch_up.keep(Change{ranks(1), {}, ranks(2)}));
  EXPECT_TRUE(catch_up.keep(LockChange{LockChange::What::kMoved, 1, 5, {3, 8}}));
  EXPECT_EQ(catch_up.take(piece(200, 100), bytes), CatchUp::Taken::kAll);
  EXPECT_EQ(catch_up.state().size(), 200u);
  EXPECT_EQ(budget.used(), 200 + Kept::bytes_of(std::span(bytes)) +
                               Kept::bytes_of(std::span(request)) + Kept::bytes_of(Change{}) +
                               Kept::bytes_of(LockChange{}));
  const Kept kept = catch_up.take_kept();
  EXPECT_EQ(budget.used(), 200u);
  std::string order;
  struct {
    void operator()(const Change& change) {
      order += 'c';
      EXPECT_EQ(change.departed, ranks(2));
    }
    void operator()(const LockChange& change) {
      order += 'l';
      EXPECT_EQ(change.handler, 5u);
    }
    std::string& order;
  } changed{order};
  kept.replay([&](const Delivery&, std::span<const uint8_t>) { order += 'm'; },
              [&](const KeptRequest&, std::span<const uint8_t> message) {
                order += 'r';
                order += static_cast<char>(message[0]);
              },
              changed);
  EXPECT_EQ(order, "mrqcl");
  catch_up.forget();
  EXPECT_EQ(budget.used(), 0u);
}

TEST(CatchUp, BeginsFromNothingWithAnotherEvent) {
  Budget budget(1000);
  CatchUp catch_up(budget);
  catch_up.expect(kJoin, {});
  const std::vector<uint8_t> bytes(10);
  EXPECT_EQ(catch_up.take(piece(20, 0), bytes), CatchUp::Taken::kPart);
  EXPECT_TRUE(catch_up.keep(Delivery{}, bytes));
  catch_up.expect({4, wire::kViewIndex}, {});
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(catch_up.take(piece(20, 10), bytes), CatchUp::Taken::kPart) << "of the one before";
  EXPECT_TRUE(catch_up.state().empty());
  EXPECT_EQ(catch_up.take_kept().bytes(), 0u);
}

TEST(CatchUp, GroupsShareABudget) {
  const std::vector<uint8_t> bytes(100);
  Budget budget(100 + 2 * Kept::bytes_of(Change{}));
  CatchUp first(budget), second(budget);
  first.expect(kJoin, {});
  second.expect(kJoin, {});
  EXPECT_EQ(first.take(piece(100, 0), bytes), CatchUp::Taken::kAll);
  EXPECT_TRUE(first.keep(Change{}));
  EXPECT_TRUE(second.keep(Change{}));
  EXPECT_FALSE(second.keep(Change{}));
  EXPECT_FALSE(second.keep(Delivery{}, bytes));
  EXPECT_EQ(second.take(piece(100, 0), bytes), CatchUp::Taken::kNoRoom);
  EXPECT_TRUE(second.state().empty());
  first.forget();
  EXPECT_EQ(second.take(piece(100, 0), bytes), CatchUp::Taken::kAll);
}

}  // namespace
}  // namespace lambdacast::group
