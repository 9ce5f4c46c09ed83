// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/allocation.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::rate_control {
namespace {

using Member = Allocation::Member;
using Event = Allocation::Event;

// Bits a second are small here: nothing depends on their size.
MemberRates needs(uint64_t need, uint64_t room) { return {need, 0, room, 0}; }

class AllocationTest : public ::testing::Test {
 protected:
  // Three members of a first view whose needs are known: they have been in one before.
  void begin(const std::vector<MemberRates>& rates) {
    std::vector<Member> members;
    for (const MemberRates& each : rates) members.push_back({each, members.size()});
    allocation_.begin(4, members, 0);
    allocation_.settle(0);
  }
  Event announce(size_t rank, const MemberRates& rates, Event settled = {}) {
    allocation_.announce(rank, rates, settled);
    return allocation_.mark_applied();
  }
  [[nodiscard]] std::vector<uint64_t> bps() const {
    std::vector<uint64_t> out;
    for (const FilledShare& share : allocation_.shares()) out.push_back(share.bps);
    return out;
  }

  Allocation allocation_;
};

TEST_F(AllocationTest, begin__expect_the_shares_of_what_is_known) {
  begin({needs(50, 90), needs(50, 90), needs(80, 90)});
  EXPECT_EQ(bps(), (std::vector<uint64_t>{45, 45, 45}));
  EXPECT_EQ(allocation_.own_bps(), 45u);
  EXPECT_TRUE(allocation_.informed());
}

TEST_F(AllocationTest, another_needs_more__expect_the_own_share_to_fall_at_the_mark) {
  begin({needs(90, 100), needs(10, 100), needs(0, 100)});
  EXPECT_EQ(allocation_.own_bps(), 90u);
  EXPECT_EQ(announce(1, needs(60, 100)), (Event{4, 1}));
  EXPECT_EQ(bps(), (std::vector<uint64_t>{50, 50, 0}));
  EXPECT_EQ(allocation_.own_bps(), 50u);
  EXPECT_EQ(allocation_.own_limited_by(), 2u);
}

TEST_F(AllocationTest, another_needs_less__expect_the_own_share_to_rise_when_that_is_settled) {
  begin({needs(90, 100), needs(90, 100), needs(0, 100)});
  EXPECT_EQ(allocation_.own_bps(), 50u);
  announce(1, needs(20, 100));
  EXPECT_EQ(allocation_.own_bps(), 50u);
  EXPECT_TRUE(allocation_.rises());
  allocation_.settle(0);
  EXPECT_EQ(allocation_.own_bps(), 50u);
  allocation_.settle(1);
  EXPECT_EQ(allocation_.own_bps(), 80u);
  EXPECT_FALSE(allocation_.rises());
}

TEST_F(AllocationTest, marks_without_announcements__expect_events_and_no_other_share) {
  begin({needs(90, 100), needs(90, 100), needs(0, 100)});
  for (uint64_t event = 1; event <= 1'000; ++event)
    EXPECT_EQ(allocation_.mark_applied(), (Event{4, event}));
  EXPECT_EQ(allocation_.own_bps(), 50u);
}

TEST_F(AllocationTest, settle_what_has_not_happened__expect_the_newest_event_alone) {
  begin({needs(90, 100), needs(90, 100), needs(0, 100)});
  allocation_.settle(100);
  EXPECT_EQ(allocation_.settled(), (Event{4, 0}));
  announce(1, needs(20, 100));
  EXPECT_EQ(allocation_.own_bps(), 50u);
}

TEST_F(AllocationTest, more_events_than_are_kept__expect_the_lowest_share_and_no_other) {
  begin({needs(90, 100), needs(10, 100), needs(0, 100)});
  announce(1, needs(60, 100));  // 50 here
  for (uint64_t i = 0; i < 3 * Allocation::kEvents; ++i)
    announce(1, needs(i % 2 == 0 ? 20 : 30, 100));
  EXPECT_EQ(allocation_.own_bps(), 50u);
  allocation_.settle(allocation_.newest().event);
  EXPECT_EQ(allocation_.own_bps(), 70u);
}

TEST_F(AllocationTest, a_line_and_what_receivers_take_of_each__expect_the_least_of_them) {
  begin({{kUnlimitedBps, 70, 0, 0}, needs(0, 0), {0, 0, 0, 60}});
  EXPECT_EQ(allocation_.own_bps(), 60u);
  announce(2, {0, 0, 0, 0});
  allocation_.settle(1);
  EXPECT_EQ(allocation_.own_bps(), 70u);
}

TEST_F(AllocationTest, a_member_departs__expect_its_highest_unsettled_share_kept_for_it) {
  begin({needs(100, 100), needs(80, 100), needs(0, 100)});
  announce(1, needs(30, 100));  // it has had 50, and perhaps not heard of this
  EXPECT_EQ(bps(), (std::vector<uint64_t>{70, 30, 0}));
  const std::vector<Member> rest{{needs(100, 100), 0}, {needs(0, 100), 2}};
  allocation_.begin(5, rest, 0);
  EXPECT_EQ(allocation_.departed_bps(), 50u);
  EXPECT_EQ(bps(), (std::vector<uint64_t>{50, 0}));
  allocation_.reserve(0, {5, 0});
  allocation_.mark_applied();
  EXPECT_EQ(allocation_.own_bps(), 50u);
  allocation_.settle(1);
  EXPECT_EQ(allocation_.own_bps(), 100u);
}

TEST_F(AllocationTest, a_member_departs_behind_what_all_know_settled__expect_its_last_share_kept) {
  begin({needs(100, 100), needs(80, 100), needs(0, 100)});
  const Event fallen = announce(1, needs(30, 100));
  allocation_.settle(fallen.event);
  announce(2, needs(0, 100), fallen);  // who says so knows that the second has acknowledged it
  const std::vector<Member> rest{{needs(100, 100), 0}, {needs(0, 100), 2}};
  allocation_.begin(5, rest, 0);
  EXPECT_EQ(allocation_.departed_bps(), 30u);
}

TEST_F(AllocationTest, join__expect_no_share_before_everybody_has_spoken) {
  const std::vector<Member> members{{needs(0, 0), {}}, {needs(0, 0), {}}};
  allocation_.begin(7, members, 1);
  EXPECT_EQ(allocation_.own_bps(), 0u);
  announce(1, needs(60, 100));
  allocation_.settle(1);
  EXPECT_FALSE(allocation_.informed());
  announce(0, needs(60, 100));
  EXPECT_FALSE(allocation_.informed());
  allocation_.reserve(0, {});
  EXPECT_TRUE(allocation_.informed());
}

TEST_F(AllocationTest, ask_what_more_need_would_bring__expect_a_greedy_share_and_nothing_changed) {
  begin({needs(10, 100), needs(80, 100), needs(0, 100)});
  EXPECT_EQ(allocation_.greedy_bps(0), 50u);
  EXPECT_EQ(bps(), (std::vector<uint64_t>{10, 80, 0}));
}

}  // namespace
}  // namespace lambdacast::rate_control
