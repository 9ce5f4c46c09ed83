// SPDX-License-Identifier: BSD-3-Clause
// Requests at the members of a group: who gets them, tickets, and what is declined.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "calling.h"

namespace lambdacast::group {
namespace requests_test {

using What = Outcome::What;
using Delivered = Outcome::Delivered;
using Fate = Asked::Fate;

class RequestsTest : public CallsTest {};

TEST_F(RequestsTest, the_holder_calls_itself__expect_its_own_answer) {
  start(2, 2);
  acquire(0);
  ASSERT_EQ(call(0, holder()), Result::kOk);
  network_.settle();
  ASSERT_EQ(answer(0, "me"), Result::kOk);
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
  EXPECT_EQ(caller_.answers[1].size(), 1u);
}

TEST_F(RequestsTest, the_asked_leaves__expect_that_it_declines) {
  start(3, 2);
  acquire(1);
  ASSERT_EQ(call(2, holder()), Result::kOk);
  network_.settle();
  ASSERT_EQ(network_[1].leave("g"), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kShort);
  EXPECT_EQ(caller_.ended_calls.at(1).asked, (std::vector{std::pair(life(1), Fate::kDeclined)}));
}

TEST_F(RequestsTest, an_answer_longer_than_the_caller_takes__expect_that_the_ticket_stays) {
  start(2, 1);
  acquire(0);
  CallOptions options = holder();
  options.most_answer_bytes = 3;
  ASSERT_EQ(call(1, options), Result::kOk);
  network_.settle();
  EXPECT_EQ(answer(0, "four"), Result::kTooLong);
  EXPECT_EQ(answer(0, "one"), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
}

TEST_F(RequestsTest, as_many_as_may_be__expect_back_pressure_and_room_again) {
  network_.config.requests.calls = 2;
  network_.config.requests.tickets = 1;
  start(2, 1);
  acquire(0);
  EXPECT_EQ(call(1, holder(), 1), Result::kOk);
  EXPECT_EQ(call(1, holder(), 2), Result::kOk);
  EXPECT_EQ(call(1, holder(), 3), Result::kAgain);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(2).what, What::kShort) << "there was no ticket left";
  EXPECT_EQ(network_[0].core.requests().counters().no_ticket, 1u);
  EXPECT_EQ(call(1, holder(), 3), Result::kOk);
  ASSERT_EQ(network_[0].core.answer(application(0).requests[0].ticket, {}), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
}

TEST_F(RequestsTest, the_group_is_suspended_at_its_place__expect_that_nobody_has_it) {
  network_.start(3);
  for (size_t i = 0; i < 2; ++i) {
    JoinOptions options;
    options.minimum = 2;
    ASSERT_EQ(network_[i].join("g", options), Result::kOk);
    network_.settle();
  }
  ASSERT_EQ(network_[1].leave("g"), Result::kOk);
  network_[1].poll();
  ASSERT_EQ(call(2, answers(0)), Result::kOk) << "it is not suspended yet";
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kRefused);
  EXPECT_EQ(caller_.ended_calls.at(1).delivered, Delivered::kNo);
  EXPECT_TRUE(application(0).requests.empty());
  EXPECT_EQ(call(2, answers(0), 2), Result::kSuspended);
}

TEST_F(RequestsTest, a_newcomer_waits_for_its_state__expect_the_request_behind_it_and_no_ticket) {
  start(3, 1);
  network_[0].say_nothing_but_leave = true;
  ASSERT_EQ(network_[1].join("g"), Result::kOk);
  network_.settle();
  ASSERT_EQ(call(2, answers(0)), Result::kOk);
  network_.settle();
  EXPECT_TRUE(application(1).requests.empty());
  network_[0].say_nothing_but_leave = false;
  network_.settle();
  ASSERT_EQ(application(1).requests.size(), 1u);
  EXPECT_EQ(application(1).requests[0].ticket, 0u);
  EXPECT_EQ(application(1).requests[0].text, "how much?");
  ASSERT_EQ(answer(0, "a"), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
}

TEST_F(RequestsTest, nothing_is_wanted__expect_the_request_and_no_outcome) {
  start(2, 1);
  CallOptions options;
  options.want = Want::kNothing;
  ASSERT_EQ(network_[1].core.call("g", bytes_of("listen"), options, nullptr, 0), Result::kOk);
  ASSERT_EQ(network_[1].core.call("g", bytes_of("listen"), options, nullptr, 0), Result::kOk);
  network_.settle();
  EXPECT_EQ(application(0).requests.size(), 2u);
  EXPECT_EQ(network_[1].core.calls().under_way(), 0u);
}

}  // namespace requests_test
}  // namespace lambdacast::group
