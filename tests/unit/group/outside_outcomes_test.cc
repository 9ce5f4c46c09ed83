// SPDX-License-Identifier: BSD-3-Clause
// A caller outside the view is told that its session has expired, or that nobody keeps an answer.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "outside.h"

namespace lambdacast::group::outside_calls_test {
namespace {

using OutsideOutcomesTest = OutsideCallsTest;

// Another caller has the only place for a session, so that this one's expires.
class ExpiredSessionTest : public OutsideCallsTest {
 protected:
  void expire() {
    network_.config.sessions = 1;
    begin(2, 1, {1});
    ASSERT_EQ(ask(answers(0)), Result::kOk);
    run();
    run();
    ASSERT_EQ(answer(0, "a"), Result::kOk);
    run();
    ASSERT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
    OutsideCallsConfig other = config_;
    other.self.incarnation = 78;
    other.self.gid = wire::gid_from_ipv4(0x0a000902);
    Outside second(network_, other);
    ASSERT_EQ(second.calls().call("g", {}, answers(0), &caller_, 5), Result::kOk);
    second.calls().poll(now_ns_);
    second.deliver();
    network_.settle();
    ASSERT_EQ(ask(answers(0), 2), Result::kOk);
  }
};

TEST_F(ExpiredSessionTest, more_callers_than_sessions__expect_the_oldest_told_that_it_expired) {
  expire();
  run();
  EXPECT_EQ(caller_.ended_calls.at(2).what, What::kExpired);
  EXPECT_EQ(caller_.ended_calls.at(2).delivered, Delivered::kUnknown);
  ASSERT_EQ(ask(answers(0), 3), Result::kOk);
  run(200'000'000);
  run();
  EXPECT_EQ(application(0).requests.back().caller, 77u);
  ASSERT_EQ(answer(0, "b"), Result::kOk);
  network_.settle();
  outside_->hear(true);  // and its repetition gets this answer, not that of the old session
  run(200'000'000);
  run();
  ASSERT_TRUE(caller_.ended_calls.contains(3));
  EXPECT_EQ(caller_.ended_calls.at(3).what, What::kAnswered) << "by a new session";
  EXPECT_EQ(caller_.answers[3][0].second, "b");
}

// Its group was founded anew, and its name has another number.
TEST_F(ExpiredSessionTest, told_by_a_group_of_another_number__expect_that_it_expired_all_the_same) {
  expire();
  outside_->calls().poll(now_ns_);
  outside_->deliver();
  network_.settle();
  outside_->hear_renumbered();
  outside_->calls().poll(now_ns_);
  ASSERT_TRUE(caller_.ended_calls.contains(2));
  EXPECT_EQ(caller_.ended_calls.at(2).what, What::kExpired);
}

// Members execute a request once, so who keeps no answer to it has not declined it.
TEST_F(OutsideOutcomesTest, an_answer_is_lost_and_not_kept__expect_so_and_not_that_it_is_declined) {
  network_.config.requests.answers_bytes = 1;
  begin(4, 2, {3});
  acquire(1);
  answer_in_vain();
  expect_none_kept([] {});
}

TEST_F(OutsideOutcomesTest,
       its_member_leaves_and_keeps_no_answer__expect_so_and_not_that_it_declines) {
  network_.config.requests.answers_bytes = 1;
  begin(4, 2, {3});
  acquire(1);
  answer_in_vain();
  expect_none_kept([this] { ASSERT_EQ(network_[1].core.leave("g"), Result::kOk); });
}

}  // namespace
}  // namespace lambdacast::group::outside_calls_test
