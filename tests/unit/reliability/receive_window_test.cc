// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/receive_window.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::reliability {
namespace {

constexpr uint32_t kPositions = 64;

PacketHandle packet(uint64_t position) { return static_cast<PacketHandle>(position + 1); }

struct HandedOn {
  uint64_t position;
  uint64_t lost;  // 0: a packet
  LossReason reason;
  bool operator==(const HandedOn&) const = default;
};

struct TestSink {
  void deliver(uint64_t position, PacketHandle which) {
    EXPECT_EQ(which, packet(position));
    handed_on.push_back({position, 0, LossReason::kNone});
  }
  bool gap(uint64_t first, uint64_t count, LossReason reason) {
    if (refuse) return false;
    handed_on.push_back({first, count, reason});
    return true;
  }
  bool refuse = false;
  std::vector<HandedOn> handed_on;
};

class ReceiveWindowTest : public ::testing::Test {
 protected:
  void SetUp() override { window_.open(100); }
  Placed place(uint64_t position, bool ordered = true, bool budget = true) {
    outcome_ = window_.place(position, ordered, packet(position), budget);
    return outcome_.placed;
  }
  std::vector<uint64_t> missing() {
    std::vector<uint64_t> out;
    window_.for_each_missing(0, [&](uint64_t at) {
      out.push_back(at);
      return true;
    });
    return out;
  }
  uint32_t drain(uint32_t most = 1000) { return window_.drain(most, sink_); }

  ReceiveWindow window_{kPositions};
  ReceiveWindow::Outcome outcome_{};
  TestSink sink_;
};

TEST_F(ReceiveWindowTest, receive_in_order__expect_each_handed_on_at_once_and_nothing_kept) {
  for (uint64_t at = 100; at < 100 + 3 * kPositions; ++at) {
    ASSERT_EQ(place(at), Placed::kAppended);
    ASSERT_TRUE(outcome_.deliver);
  }
  EXPECT_EQ(window_.kept(), 0u);
  EXPECT_EQ(window_.room(), kPositions);
  EXPECT_TRUE(window_.complete());
  EXPECT_FALSE(window_.backlog());
}

TEST_F(ReceiveWindowTest, receive_ordered_beyond_a_gap__expect_it_kept_until_the_gap_is_filled) {
  EXPECT_EQ(place(102), Placed::kGap);
  EXPECT_FALSE(outcome_.deliver);
  EXPECT_EQ(place(103), Placed::kAppended);
  EXPECT_FALSE(outcome_.deliver);
  EXPECT_EQ(missing(), (std::vector<uint64_t>{100, 101}));
  EXPECT_EQ(place(101), Placed::kInserted);
  EXPECT_FALSE(outcome_.deliver);
  EXPECT_EQ(drain(), 0u);
  EXPECT_EQ(place(100), Placed::kInserted);
  EXPECT_TRUE(outcome_.deliver);
  EXPECT_EQ(window_.next(), 104u);
  EXPECT_TRUE(window_.backlog());
  EXPECT_EQ(drain(), 3u);
  EXPECT_EQ(sink_.handed_on.front().position, 101u);
  EXPECT_EQ(sink_.handed_on.back().position, 103u);
  EXPECT_FALSE(window_.backlog());
}

TEST_F(ReceiveWindowTest, receive_unordered_beyond_a_gap__expect_it_handed_on_at_once) {
  EXPECT_EQ(place(102, false), Placed::kGap);
  EXPECT_TRUE(outcome_.deliver);
  EXPECT_EQ(place(102, false), Placed::kDuplicate);
  EXPECT_EQ(place(100, false), Placed::kInserted);
  EXPECT_TRUE(outcome_.deliver);
  EXPECT_EQ(place(101, false), Placed::kInserted);
  EXPECT_TRUE(outcome_.deliver);
  EXPECT_EQ(drain(), 0u);
  EXPECT_EQ(window_.deliver(), 103u);
}

TEST_F(ReceiveWindowTest, receive_ordered_behind_unordered_gap__expect_the_ordered_one_to_wait) {
  EXPECT_EQ(place(101, true), Placed::kGap);
  EXPECT_FALSE(outcome_.deliver);
  EXPECT_EQ(place(100, false), Placed::kInserted);
  EXPECT_TRUE(outcome_.deliver);
  EXPECT_EQ(drain(), 1u);
}

TEST_F(ReceiveWindowTest, receive_again_or_from_before__expect_duplicate_and_too_old) {
  EXPECT_EQ(place(99), Placed::kTooOld);
  EXPECT_EQ(place(100), Placed::kAppended);
  EXPECT_EQ(place(100), Placed::kDuplicate);
  EXPECT_EQ(place(103), Placed::kGap);
  EXPECT_EQ(place(103), Placed::kDuplicate);
}

TEST_F(ReceiveWindowTest, fill_the_window__expect_too_new_beyond_it_and_no_room) {
  for (uint64_t at = 101; at < 100 + kPositions; ++at) {
    ASSERT_EQ(place(at), at == 101 ? Placed::kGap : Placed::kAppended);
  }
  EXPECT_EQ(window_.kept(), kPositions - 1);
  EXPECT_EQ(place(100 + kPositions), Placed::kTooNew);
  EXPECT_EQ(window_.kept(), kPositions - 1);
  EXPECT_EQ(place(100), Placed::kInserted);
  EXPECT_EQ(window_.room(), 1u);  // what waits to be handed on still takes its place
  EXPECT_EQ(drain(), kPositions - 1);
  EXPECT_EQ(window_.room(), kPositions);
}

TEST_F(ReceiveWindowTest, receive_without_budget__expect_slow_consumer_and_the_place_missing) {
  EXPECT_EQ(place(102, true, false), Placed::kSlowConsumer);
  EXPECT_EQ(window_.end(), 100u);
  EXPECT_EQ(place(102, true, true), Placed::kGap);
  EXPECT_EQ(place(101, true, false), Placed::kSlowConsumer);
  EXPECT_EQ(missing(), (std::vector<uint64_t>{100, 101}));
  EXPECT_EQ(place(103, false, false), Placed::kAppended);  // need not be kept
  EXPECT_EQ(place(100, true, false), Placed::kInserted);   // unlocks what waits: always taken
}

TEST_F(ReceiveWindowTest, reveal__expect_the_places_missing_as_far_as_the_window_reaches) {
  EXPECT_EQ(window_.reveal(99), 100u);
  EXPECT_EQ(window_.end(), 100u);
  EXPECT_EQ(window_.reveal(102), 100u);
  EXPECT_EQ(missing(), (std::vector<uint64_t>{100, 101, 102}));
  EXPECT_TRUE(window_.missing(102));
  EXPECT_FALSE(window_.missing(103));
  EXPECT_EQ(window_.reveal(10'000), 103u);
  EXPECT_EQ(window_.end(), 100 + kPositions);
}

TEST_F(ReceiveWindowTest, declare_lost__expect_gaps_in_their_place_by_runs_of_a_reason) {
  (void)window_.reveal(105);
  EXPECT_EQ(place(103), Placed::kInserted);
  window_.declare_one_lost(102, LossReason::kDeadline);
  window_.declare_lost_before(105, LossReason::kOutsideRetention);
  EXPECT_EQ(drain(), 4u);
  const std::vector<HandedOn> expected = {{100, 2, LossReason::kOutsideRetention},
                                          {102, 1, LossReason::kDeadline},
                                          {103, 0, LossReason::kNone},
                                          {104, 1, LossReason::kOutsideRetention}};
  EXPECT_EQ(sink_.handed_on, expected);
  EXPECT_EQ(place(104), Placed::kDuplicate);
  EXPECT_EQ(missing(), std::vector<uint64_t>{105});
}

TEST_F(ReceiveWindowTest, refuse_a_gap__expect_it_offered_again_and_nothing_behind_it_let_out) {
  EXPECT_EQ(place(101), Placed::kGap);
  window_.declare_one_lost(100, LossReason::kEvicted);
  sink_.refuse = true;
  EXPECT_EQ(drain(), 0u);
  EXPECT_TRUE(window_.backlog());
  sink_.refuse = false;
  EXPECT_EQ(drain(1), 1u);
  EXPECT_TRUE(window_.backlog());
  EXPECT_EQ(drain(1), 1u);
  EXPECT_EQ(sink_.handed_on.size(), 2u);
  EXPECT_FALSE(window_.backlog());
}

// The bits behind next() are free for the window's next turn: a visitor must not take them for
// gaps.
TEST_F(ReceiveWindowTest, declare_lost_while_visiting__expect_only_what_was_missing_visited) {
  for (const uint64_t at : {101, 102, 104}) (void)place(at);
  std::vector<uint64_t> visited;
  window_.for_each_missing(100, [&](uint64_t at) {
    visited.push_back(at);
    window_.declare_one_lost(at, LossReason::kDeadline);
    return true;
  });
  EXPECT_EQ(visited, (std::vector<uint64_t>{100, 103}));
}

TEST_F(ReceiveWindowTest, clear__expect_every_packet_kept_given_back) {
  (void)place(102);
  (void)place(104);
  window_.declare_one_lost(103, LossReason::kDeadline);
  std::vector<PacketHandle> discarded;
  window_.clear([&](PacketHandle which) { discarded.push_back(which); });
  EXPECT_EQ(discarded, (std::vector<PacketHandle>{packet(102), packet(104)}));
  EXPECT_EQ(window_.kept(), 0u);
  window_.open(500);
  EXPECT_EQ(place(500), Placed::kAppended);
  EXPECT_EQ(drain(), 0u);
}

}  // namespace
}  // namespace lambdacast::reliability
