// SPDX-License-Identifier: BSD-3-Clause
#include "true_run.h"

namespace lambdacast::sim {
namespace {

using CheckSourceTest = TrueRun;

TEST_F(CheckSourceTest, true_run__expect_no_violation) {
  EXPECT_EQ(check_source(scenario_, log_), Violations{});
}

TEST_F(CheckSourceTest, order_of_two_exchanged__expect_source_violated) {
  Told& first = delivery(2);
  Told& second = told(2, [&](const Told& each) {
    return each.is_message() && each.qos == wire::Qos::kSourceOrdered &&
           each.rel_seq > first.rel_seq;
  });
  std::swap(first, second);
  EXPECT_FALSE(check_source(scenario_, log_).empty());
}

TEST_F(CheckSourceTest, earlier_one_not_delivered__expect_source_violated_unless_a_gap_came_first) {
  Told& first = delivery(2);
  Told gap = first;
  const size_t at = static_cast<size_t>(&first - log_.told.data());
  forget(first);
  EXPECT_FALSE(check_source(scenario_, log_).empty());
  gap.what = Told::What::kGap;
  gap.first = gap.rel_seq;
  gap.count = 1;
  log_.told.insert(log_.told.begin() + static_cast<long>(at), gap);
  EXPECT_TRUE(check_source(scenario_, log_).empty());
}

TEST_F(CheckSourceTest, earlier_reliable_one_not_delivered__expect_source_to_hold) {
  forget(delivery(2, wire::Qos::kReliable));
  EXPECT_TRUE(check_source(scenario_, log_).empty());
}

TEST_F(CheckSourceTest, earlier_life_after_a_later_one__expect_source_violated) {
  log_.lives.push_back(log_.lives[0]);
  Told later = delivery(2);
  later.sender = static_cast<uint32_t>(log_.lives.size() - 1);
  log_.told.insert(log_.told.begin(), later);
  EXPECT_FALSE(check_source(scenario_, log_).empty());
}

}  // namespace
}  // namespace lambdacast::sim
