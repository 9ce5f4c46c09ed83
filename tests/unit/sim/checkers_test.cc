// Each checker passes a true run and fails the same run with one thing falsified.

#include "sim/checkers.h"

#include "true_run.h"

namespace lambdacast::sim {
namespace {

using CheckersTest = TrueRun;

TEST_F(CheckersTest, true_run__expect_no_violation_and_that_it_was_worth_checking) {
  EXPECT_EQ(check_all(scenario_, log_), Violations{});
  EXPECT_FALSE(log_.nack_frames.empty());
  EXPECT_TRUE(std::any_of(log_.told.begin(), log_.told.end(),
                          [](const Told& each) { return each.is_gap; }));
}

TEST_F(CheckersTest, content_changed__expect_integrity_violated) {
  delivery(1).intact = false;
  EXPECT_EQ(check_integrity(scenario_, log_).size(), 1u);
}

TEST_F(CheckersTest, delivered_under_another_name__expect_integrity_violated) {
  Told& told = delivery(1);
  told.sender = 2;
  told.group = 8;
  told.qos = wire::Qos::kReliable;
  ++told.rel_seq;
  EXPECT_EQ(check_integrity(scenario_, log_).size(), 4u);
}

TEST_F(CheckersTest, delivered_what_nobody_published__expect_integrity_violated) {
  delivery(1).publication = kNobody;
  EXPECT_EQ(check_integrity(scenario_, log_).size(), 1u);
}

TEST_F(CheckersTest, delivered_twice__expect_integrity_violated_at_any_level) {
  for (const wire::Qos qos :
       {wire::Qos::kUnreliable, wire::Qos::kReliable, wire::Qos::kSourceOrdered}) {
    Log twice = log_;
    twice.told.push_back(delivery(1, qos));
    EXPECT_EQ(check_integrity(scenario_, twice).size(), 1u);
  }
}

TEST_F(CheckersTest, delivered_without_subscription_or_to_its_sender__expect_integrity_violated) {
  Log own = log_;
  own.told.push_back(delivery(1));
  own.told.back().receiver = 0;
  EXPECT_EQ(check_integrity(scenario_, own).size(), 1u);
  scenario_.nodes[1].subscribe.clear();
  EXPECT_FALSE(check_integrity(scenario_, log_).empty());
}

TEST_F(CheckersTest, delivered_before_it_was_sent__expect_integrity_violated) {
  delivery(1).at_ns = 0;
  EXPECT_EQ(check_integrity(scenario_, log_).size(), 1u);
}

TEST_F(CheckersTest, order_of_two_exchanged__expect_source_violated) {
  Told& first = delivery(2);
  Told& second = told(2, [&](const Told& each) {
    return !each.is_gap && each.qos == wire::Qos::kSourceOrdered && each.rel_seq > first.rel_seq;
  });
  std::swap(first, second);
  EXPECT_FALSE(check_source(scenario_, log_).empty());
}

TEST_F(CheckersTest, earlier_one_not_delivered__expect_source_violated_unless_a_gap_came_first) {
  Told& first = delivery(2);
  Told gap = first;
  const size_t at = static_cast<size_t>(&first - log_.told.data());
  forget(first);
  EXPECT_FALSE(check_source(scenario_, log_).empty());
  gap.is_gap = true;
  gap.first = gap.rel_seq;
  gap.count = 1;
  log_.told.insert(log_.told.begin() + static_cast<long>(at), gap);
  EXPECT_TRUE(check_source(scenario_, log_).empty());
}

TEST_F(CheckersTest, earlier_reliable_one_not_delivered__expect_source_to_hold) {
  forget(delivery(2, wire::Qos::kReliable));
  EXPECT_TRUE(check_source(scenario_, log_).empty());
}

TEST_F(CheckersTest, earlier_life_after_a_later_one__expect_source_violated) {
  log_.lives.push_back(log_.lives[0]);
  Told later = delivery(2);
  later.sender = static_cast<uint32_t>(log_.lives.size() - 1);
  log_.told.insert(log_.told.begin(), later);
  EXPECT_FALSE(check_source(scenario_, log_).empty());
}

TEST_F(CheckersTest, numbers_falsified__expect_numbering_violated) {
  const auto repair = std::find_if(log_.frames.begin(), log_.frames.end(),
                                   [](const SentFrame& frame) { return frame.repair; });
  ASSERT_NE(repair, log_.frames.end());
  const auto at = static_cast<size_t>(repair - log_.frames.begin());
  const std::function<void(SentFrame&)> falsifications[] = {
      [](SentFrame& frame) { ++frame.frame_seq; }, [](SentFrame& frame) { ++frame.rel_seq; },
      [](SentFrame& frame) { frame.repair = false; },
      [](SentFrame& frame) { frame.publication = kNobody; }};
  for (const auto& falsify : falsifications) {
    Log falsified = log_;
    falsify(falsified.frames[at]);
    EXPECT_FALSE(check_numbering(scenario_, falsified).empty());
  }
}

}  // namespace
}  // namespace lambdacast::sim
