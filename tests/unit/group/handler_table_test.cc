// SPDX-License-Identifier: BSD-3-Clause
#include "group/handler_table.h"

#include <gtest/gtest.h>

namespace lambdacast::group {

void PrintTo(const LockChange& change, std::ostream* out) {
  *out << int(change.what) << " lock " << change.handler << " at " << int(change.holder) << " by "
       << change.token.epoch << "." << change.token.place;
}

namespace handler_table_test {

using What = LockChange::What;
using Changes = std::vector<LockChange>;

constexpr uint32_t kGroup = 0x80000001;
constexpr uint32_t kLock = 5;

struct Bench {
  LockChange acquire(size_t rank, uint64_t place, bool only_if_free = false,
                     bool suspended = false) {
    return table.acquire(kGroup, {kLock, only_if_free, {}, {}}, rank, {1, place}, suspended);
  }
  bool release(size_t rank, const GrantPlace& token, size_t heir = kGone) {
    return table.release(kGroup, {kLock, false, token, {}}, rank, heir);
  }
  Changes settle(uint64_t place, bool suspended = false, uint64_t epoch = 1) {
    Changes out;
    table.settle(kGroup, {epoch, place}, suspended, out);
    return out;
  }
  HandlerTable table{16};
};

TEST(HandlerTable, a_free_lock__expect_it_granted_with_its_place_and_told_again) {
  Bench bench;
  EXPECT_EQ(bench.acquire(2, 7), (LockChange{What::kGranted, 2, kLock, {1, 7}}));
  EXPECT_EQ(bench.acquire(2, 9), (LockChange{What::kGranted, 2, kLock, {1, 7}}));
  EXPECT_EQ(bench.settle(9), Changes{});
  EXPECT_EQ(bench.table.size(), 1u);
}

TEST(HandlerTable, a_held_lock__expect_who_waits_longest_to_be_next) {
  Bench bench;
  (void)bench.acquire(2, 7);
  EXPECT_EQ(bench.acquire(1, 8), (LockChange{What::kQueued, 2, kLock, {1, 7}}));
  EXPECT_EQ(bench.acquire(0, 9).what, What::kQueued);
  EXPECT_EQ(bench.acquire(1, 10).what, What::kQueued) << "once";
  EXPECT_EQ(bench.acquire(3, 11, true), (LockChange{What::kRefused, 2, kLock, {1, 7}}));
  ASSERT_TRUE(bench.release(2, {1, 7}));
  EXPECT_EQ(bench.settle(12), (Changes{{What::kMoved, 1, kLock, {1, 12}}}));
  ASSERT_TRUE(bench.release(1, {1, 12}));
  EXPECT_EQ(bench.settle(13), (Changes{{What::kMoved, 0, kLock, {1, 13}}}));
  ASSERT_TRUE(bench.release(0, {1, 13}));
  EXPECT_EQ(bench.settle(14), (Changes{{What::kFreed, kGone, kLock, {1, 13}}}));
  EXPECT_EQ(bench.table.size(), 0u);
}

TEST(HandlerTable, another_token_or_another_speaker__expect_nothing_released) {
  Bench bench;
  (void)bench.acquire(2, 7);
  EXPECT_FALSE(bench.release(2, {1, 6}));
  EXPECT_FALSE(bench.release(1, {1, 7}));
  EXPECT_FALSE(bench.table.release(kGroup, {kLock + 1, false, {1, 7}, {}}, 2, kGone));
  EXPECT_FALSE(bench.table.release(kGroup + 1, {kLock, false, {1, 7}, {}}, 2, kGone));
  EXPECT_EQ(bench.settle(8), Changes{});
  EXPECT_EQ(bench.table.find(kGroup, kLock)->holder, 2);
}

TEST(HandlerTable, a_token_of_zeros__expect_the_speaker_out_of_the_queue_alone) {
  Bench bench;
  (void)bench.acquire(2, 7);
  (void)bench.acquire(1, 8);
  (void)bench.acquire(0, 9);
  EXPECT_TRUE(bench.release(1, {}));
  EXPECT_FALSE(bench.release(1, {})) << "it does not wait";
  EXPECT_FALSE(bench.release(2, {})) << "it holds the lock";
  EXPECT_EQ(bench.settle(10), Changes{});
  ASSERT_TRUE(bench.release(2, {1, 7}));
  EXPECT_EQ(bench.settle(11), (Changes{{What::kMoved, 0, kLock, {1, 11}}}));
}

TEST(HandlerTable, an_heir_that_waits__expect_it_next_and_in_the_queue_no_more) {
  Bench bench;
  (void)bench.acquire(2, 7);
  (void)bench.acquire(1, 8);
  (void)bench.acquire(0, 9);
  ASSERT_TRUE(bench.release(2, {1, 7}, 0));
  EXPECT_EQ(bench.settle(10), (Changes{{What::kMoved, 0, kLock, {1, 10}}}));
  ASSERT_TRUE(bench.release(0, {1, 10}));
  EXPECT_EQ(bench.settle(11), (Changes{{What::kMoved, 1, kLock, {1, 11}}}));
  ASSERT_TRUE(bench.release(1, {1, 11}));
  EXPECT_EQ(bench.settle(12).front().what, What::kFreed);
}

TEST(HandlerTable, members_leave__expect_their_locks_to_go_on_and_their_waits_to_end) {
  Bench bench;
  (void)bench.acquire(2, 7);
  (void)bench.acquire(1, 8);
  (void)bench.acquire(0, 9);
  NodeSet gone = NodeSet::of(1);
  gone.add(2);
  bench.table.leave(kGroup + 1, gone);
  EXPECT_EQ(bench.settle(10), Changes{}) << "another group's";
  bench.table.leave(kGroup, gone);
  EXPECT_EQ(bench.settle(10), (Changes{{What::kMoved, 0, kLock, {1, 10}}}));
}

TEST(HandlerTable, a_view_without_the_holder__expect_the_next_who_stayed_by_the_views_beginning) {
  Bench bench;
  (void)bench.acquire(2, 7);
  (void)bench.acquire(0, 8);
  (void)bench.acquire(3, 9);
  const uint8_t now[] = {kGone, 0, kGone, 1};
  bench.table.move(now);
  EXPECT_EQ(bench.settle(0, false, 2), (Changes{{What::kMoved, 1, kLock, {2, 0}}}));
  const uint8_t again[] = {1, 0};
  bench.table.move(again);
  EXPECT_EQ(bench.settle(0, false, 3), Changes{});
  EXPECT_EQ(bench.table.find(kGroup, kLock)->holder, 0) << "under its new rank";
  EXPECT_EQ(bench.table.find(kGroup, kLock)->token, (GrantPlace{2, 0}));
}

TEST(HandlerTable, a_suspended_group__expect_queues_to_move_when_it_goes_on) {
  Bench bench;
  EXPECT_EQ(bench.acquire(1, 7, true, true).what, What::kRefused);
  EXPECT_EQ(bench.acquire(1, 8, false, true), (LockChange{What::kQueued, kGone, kLock, {}}));
  EXPECT_EQ(bench.settle(8, true), Changes{});
  EXPECT_EQ(bench.settle(9), (Changes{{What::kMoved, 1, kLock, {1, 9}}}));
  (void)bench.acquire(0, 10, false, true);
  ASSERT_TRUE(bench.release(1, {1, 9}, 3)) << "held ones can be given back";
  EXPECT_EQ(bench.settle(11, true), (Changes{{What::kFreed, kGone, kLock, {1, 9}}}));
  EXPECT_EQ(bench.settle(12, true), Changes{}) << "told once";
  EXPECT_EQ(bench.settle(13), (Changes{{What::kMoved, 3, kLock, {1, 13}}})) << "the heir";
}

TEST(HandlerTable, saved_and_loaded__expect_the_same_and_nothing_that_cannot_be) {
  Bench bench;
  (void)bench.acquire(2, 7);
  (void)bench.acquire(1, 8);
  (void)bench.table.acquire(kGroup + 3, {9, false, {}, {}}, 0, {1, 4}, true);
  std::vector<uint8_t> saved;
  bench.table.for_each([&](const Lock& lock) { HandlerTable::save(lock, saved); });
  ASSERT_EQ(saved.size(), 27u + 27);
  HandlerTable loaded(2);
  std::span<const uint8_t> in = saved;
  ASSERT_TRUE(loaded.load(in, 3));
  ASSERT_TRUE(loaded.load(in, 3));
  EXPECT_TRUE(in.empty());
  std::vector<uint8_t> again;
  loaded.for_each([&](const Lock& lock) { HandlerTable::save(lock, again); });
  EXPECT_EQ(again, saved);
  Changes changes;
  loaded.settle(kGroup + 3, {1, 9}, false, changes);
  EXPECT_EQ(changes, (Changes{{What::kMoved, 0, 9, {1, 9}}})) << "its group goes on";

  const auto refused = [&](size_t at, uint8_t value, size_t ranks = 3) {
    std::vector<uint8_t> bad = saved;
    bad[at] = value;
    std::span<const uint8_t> left = bad;
    HandlerTable table(2);
    return !table.load(left, ranks);
  };
  EXPECT_TRUE(refused(24, 3)) << "a holder that is none";
  EXPECT_TRUE(refused(24, 1)) << "the holder waits";
  EXPECT_TRUE(refused(25, 29)) << "a queue beyond the end";
  EXPECT_TRUE(refused(26, 4)) << "it waits and is no member";
  EXPECT_TRUE(refused(24, 2, 2)) << "of a larger view";
  for (size_t cut = 0; cut < 27; ++cut) {
    std::span<const uint8_t> left = std::span(saved).first(cut);
    HandlerTable table(2);
    EXPECT_FALSE(table.load(left, 3)) << cut;
  }
  in = saved;
  EXPECT_FALSE(loaded.load(in, 3)) << "a lock twice";
}

}  // namespace handler_table_test
}  // namespace lambdacast::group
