// Each checker passes a true run and fails the same run with one thing falsified.

#include "sim/checkers.h"

#include <gtest/gtest.h>

#include "small_scenario.h"

namespace lambdacast::sim {
namespace {

using counters::DropReason;

class CheckersTest : public ::testing::Test {
 protected:
  Scenario scenario_ = small_scenario(20);
  Report report_ = Simulation(scenario_, 3).run();
  Arrival& first_ = report_.log.arrivals.front();
};

TEST_F(CheckersTest, true_run__expect_no_violation) {
  EXPECT_EQ(check_all(scenario_, report_), Violations{});
}

TEST_F(CheckersTest, content_changed__expect_integrity_violated) {
  first_.content.push_back(1);
  EXPECT_EQ(check_integrity(scenario_, report_).size(), 1u);
}

TEST_F(CheckersTest, wrong_sender_or_group__expect_integrity_violated) {
  first_.claimed_sender = 2;
  first_.claimed_group = 8;
  EXPECT_EQ(check_integrity(scenario_, report_).size(), 2u);
}

TEST_F(CheckersTest, delivered_twice__expect_integrity_violated) {
  report_.log.arrivals.push_back(Arrival(first_));
  EXPECT_EQ(check_integrity(scenario_, report_).size(), 1u);
}

TEST_F(CheckersTest, delivered_without_subscription__expect_integrity_violated) {
  scenario_.nodes[first_.receiver].subscribe.clear();
  EXPECT_EQ(check_integrity(scenario_, report_).size(), 20u);
}

TEST_F(CheckersTest, delivered_to_the_sender__expect_integrity_violated) {
  first_.receiver = 0;
  EXPECT_EQ(check_integrity(scenario_, report_).size(), 1u);
}

TEST_F(CheckersTest, delivery_denied__expect_accounting_violated) {
  first_.outcome = DropReason::kNotSubscribed;
  EXPECT_FALSE(check_accounting(scenario_, report_).empty());
}

TEST_F(CheckersTest, any_stream_counter_off_by_one__expect_accounting_violated) {
  using Field = uint64_t reliability::SequenceCounters::*;
  using reliability::SequenceCounters;
  for (const Field field :
       {&SequenceCounters::received, &SequenceCounters::missing, &SequenceCounters::gaps,
        &SequenceCounters::late, &SequenceCounters::duplicates, &SequenceCounters::too_old,
        &SequenceCounters::too_far_ahead}) {
    Report falsified = report_;
    ++(falsified.nodes[1].streams[0]->current.*field);
    EXPECT_FALSE(check_accounting(scenario_, falsified).empty());
  }
}

TEST_F(CheckersTest, stream_unknown_or_psn_wrong__expect_accounting_violated) {
  Report falsified = report_;
  falsified.nodes[1].streams[0].reset();
  EXPECT_FALSE(check_accounting(scenario_, falsified).empty());
  falsified = report_;
  ++falsified.nodes[1].streams[0]->psn_wraps;
  EXPECT_FALSE(check_accounting(scenario_, falsified).empty());
}

TEST_F(CheckersTest, sent_miscounted__expect_accounting_violated) {
  ++report_.nodes[0].sent_packets;
  EXPECT_FALSE(check_accounting(scenario_, report_).empty());
}

TEST_F(CheckersTest, any_stage_counter_off_by_one__expect_stages_violated) {
  Report falsified = report_;
  ++falsified.nodes[1].counters.receive.received;
  EXPECT_FALSE(check_stages(falsified).empty());
  falsified = report_;
  ++falsified.nodes[1].counters.reliability.forwarded;
  EXPECT_FALSE(check_stages(falsified).empty());
  falsified = report_;
  falsified.nodes[1].counters.ordering.drops.add(DropReason::kNotSubscribed);
  EXPECT_FALSE(check_stages(falsified).empty());
  falsified = report_;
  ++falsified.nodes[0].counters.transmitted_packets;
  EXPECT_FALSE(check_stages(falsified).empty());
}

}  // namespace
}  // namespace lambdacast::sim
