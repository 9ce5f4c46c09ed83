#include "sim/truth.h"

#include <gtest/gtest.h>

#include "small_scenario.h"

namespace lambdacast::sim {
namespace {

using counters::DropReason;

// A log made by hand: five messages of node 0, and what node 1 saw of them.
class TruthTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (uint64_t i = 0; i < 5; ++i) report_.log.sent.push_back({0, i, i, 7, {}, false});
    report_.nodes.resize(2);
  }
  void arrive(size_t frame, DropReason outcome, bool corrupted = false) {
    report_.log.arrivals.push_back({frame, 1, 0, corrupted, outcome, 0, 7, {}});
  }
  PairTruth pair() { return derive_truth(scenario_, report_).pairs[0][1]; }
  size_t wrong() { return derive_truth(scenario_, report_).wrong_outcomes.size(); }

  Scenario scenario_ = small_scenario(5, 2);
  Report report_;
};

TEST_F(TruthTest, every_cause_once__expect_each_frame_under_its_own) {
  arrive(0, DropReason::kNone);
  arrive(3, DropReason::kBadIcrc, true);
  arrive(4, DropReason::kNone);
  arrive(4, DropReason::kDuplicate);
  report_.log.sent[1].lost_at_transmitter = true;
  report_.log.lost_at_receiver.push_back({2, 1});
  EXPECT_EQ(wrong(), 0u);
  EXPECT_EQ(pair().sent, 5u);
  EXPECT_EQ(pair().to_deliver, 2u);
  EXPECT_EQ(pair().lost_at_transmitter, 1u);
  EXPECT_EQ(pair().lost_at_receiver, 1u);
  EXPECT_EQ(pair().lost_corrupted, 1u);
  EXPECT_EQ(pair().lost(), 3u);
  EXPECT_EQ(pair().duplicates, 1u);
  EXPECT_EQ(pair().gaps, 1u);
  EXPECT_EQ(pair().psn_wraps, 1u);
}

TEST_F(TruthTest, damaged_copy_and_intact_copy__expect_no_loss) {
  arrive(0, DropReason::kBadIcrc, true);
  arrive(0, DropReason::kNone);
  EXPECT_EQ(pair().lost_corrupted, 0u);
  EXPECT_EQ(pair().to_deliver, 1u);
}

TEST_F(TruthTest, overtaken__expect_late_and_the_tail_counted_as_gap) {
  arrive(1, DropReason::kNone);
  arrive(0, DropReason::kNone);
  EXPECT_EQ(wrong(), 0u);
  EXPECT_EQ(pair().late, 1u);
  EXPECT_EQ(pair().gaps, 1u);
}

TEST_F(TruthTest, group_not_subscribed__expect_accepted_but_not_to_deliver) {
  report_.log.sent[0].group = 8;
  arrive(0, DropReason::kNotSubscribed);
  EXPECT_EQ(wrong(), 0u);
  EXPECT_EQ(pair().not_subscribed, 1u);
  EXPECT_EQ(pair().to_deliver, 0u);
}

TEST_F(TruthTest, no_room_for_the_sender__expect_peer_table_full) {
  scenario_.nodes[1].max_peers = 0;
  arrive(0, DropReason::kPeerTableFull);
  EXPECT_EQ(wrong(), 0u);
  EXPECT_EQ(pair().lost_peer_table_full, 1u);
  EXPECT_FALSE(pair().known);
}

TEST_F(TruthTest, intact_frame_refused__expect_a_wrong_outcome) {
  arrive(0, DropReason::kBadIcrc);
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(TruthTest, second_delivery__expect_a_wrong_outcome) {
  arrive(0, DropReason::kNone);
  arrive(0, DropReason::kNone);
  EXPECT_EQ(wrong(), 1u);
}

TEST_F(TruthTest, behind_the_window__expect_too_old) {
  report_.log.sent.push_back({0, 2000, 0, 7, {}, false});
  arrive(5, DropReason::kNone);
  arrive(0, DropReason::kTooOld);
  EXPECT_EQ(wrong(), 0u);
  EXPECT_EQ(pair().too_old, 1u);
  EXPECT_EQ(pair().lost_too_old, 1u);
}

TEST(Truth, outcomes_of_damage__expect_parse_and_icrc_reasons_only) {
  EXPECT_TRUE(says_damaged(DropReason::kTooShort));
  EXPECT_TRUE(says_damaged(DropReason::kBadIcrc));
  EXPECT_FALSE(says_damaged(DropReason::kNone));
  EXPECT_FALSE(says_damaged(DropReason::kOwnFrame));
  EXPECT_FALSE(says_damaged(DropReason::kDuplicate));
}

}  // namespace
}  // namespace lambdacast::sim
