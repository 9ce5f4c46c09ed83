// SPDX-License-Identifier: BSD-3-Clause
// Callers outside the view against group layers over a simulated order: sessions, entries that are
// lost, repetitions, and members that depart.
#include "group/outside_calls.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "outside.h"

namespace lambdacast::group {
namespace outside_calls_test {

TEST_F(OutsideCallsTest, holder__expect_a_session_and_the_answer) {
  begin(3, 2, {2});
  acquire(1);
  ASSERT_EQ(ask(holder()), Result::kOk);
  run();
  run();
  ASSERT_EQ(application(0).requests.size(), 1u);
  EXPECT_EQ(application(0).requests[0].caller, 77u);
  EXPECT_FALSE(application(0).requests[0].answers);
  ASSERT_EQ(answer(1, "three"), Result::kOk);
  run();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
  EXPECT_EQ(caller_.ended_calls.at(1).delivered, Delivered::kYes);
  EXPECT_EQ(caller_.answers[1][0].second, "three");
  EXPECT_EQ(outside_->calls().under_way(), 0u);
  ASSERT_EQ(ask(holder(), 2), Result::kOk);
  run();
  EXPECT_EQ(application(0).requests.size(), 2u) << "by the same session";
  EXPECT_EQ(outside_->calls().outside_counters().opened, 1u);
}

TEST_F(OutsideCallsTest, no_entry_is_known__expect_one_found) {
  begin(3, 2, {});
  ASSERT_EQ(ask(answers(0)), Result::kOk);
  for (int i = 0; i < 4; ++i) run(10'000'000);
  EXPECT_EQ(application(0).requests.size(), 1u);
  EXPECT_EQ(application(1).requests.size(), 1u);
}

TEST_F(OutsideCallsTest, copies_by_two_entries__expect_it_executed_once) {
  begin(4, 2, {2, 3});
  acquire(0);
  ASSERT_EQ(ask(holder()), Result::kOk);
  run();
  for (int i = 0; i < 6; ++i) run(200'000'000);  // nobody answers
  EXPECT_GE(outside_->calls().outside_counters().repeated, 4u);
  EXPECT_EQ(application(0).requests.size(), 1u);
  EXPECT_EQ(application(1).requests.size(), 1u);
  EXPECT_GT(network_[2].core.forwards().counters().forwarded, 0u);
  EXPECT_GT(network_[3].core.forwards().counters().forwarded, 0u);
  EXPECT_GT(network_[0].core.requests().counters().repetitions, 0u);
  EXPECT_TRUE(caller_.ended_calls.empty()) << "the holder is at it";
  ASSERT_EQ(answer(0, "at last"), Result::kOk);
  run();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
}

TEST_F(OutsideCallsTest, the_answer_is_lost__expect_the_same_again_and_nothing_executed) {
  begin(3, 2, {2});
  acquire(1);
  answer_in_vain();
  run(200'000'000);
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
  EXPECT_EQ(caller_.answers[1].size(), 1u);
  EXPECT_EQ(application(1).requests.size(), 1u);
}

TEST_F(OutsideCallsTest, the_holder_departs_behind_its_answer__expect_that_none_is_kept) {
  begin(4, 3, {3});
  acquire(1);
  acquire(2);  // it waits for the lock
  answer_in_vain();
  const uint32_t gone = life(1);
  network_.change([&](auto& node) { return node.self.incarnation == gone; }, 0);
  network_.settle();
  run(200'000'000);
  run(200'000'000);
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kNoAnswerKept);
  EXPECT_EQ(caller_.ended_calls.at(1).delivered, Delivered::kYes);
  EXPECT_EQ(application(1).requests.size(), 1u) << "the next holder has it as others have";
}

TEST_F(OutsideCallsTest, another_member_keeps_the_answer__expect_it_once_the_holder_is_gone) {
  begin(4, 3, {3});
  acquire(1);
  acquire(2);
  Result kept = Result::kAgain;
  Result twice = Result::kOk;
  application(2).when_requested = [&](const Request& request) {
    kept = network_[2].core.keep(request.ticket, bytes_of("three"));
    twice = network_[2].core.keep(request.ticket, bytes_of("four"));
  };
  ASSERT_EQ(ask(holder()), Result::kOk);
  run();
  run();
  EXPECT_EQ(kept, Result::kOk);
  EXPECT_EQ(twice, Result::kNoTicket);
  run(200'000'000);
  EXPECT_TRUE(caller_.answers.empty()) << "the holder is at it";
  const uint32_t gone = life(1);
  network_.change([&](auto& node) { return node.self.incarnation == gone; }, 0);
  network_.settle();
  for (int i = 0; i < 2; ++i) run(200'000'000);
  ASSERT_TRUE(caller_.ended_calls.contains(1));
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
  ASSERT_EQ(caller_.answers[1].size(), 1u);
  EXPECT_EQ(caller_.answers[1][0].second, "three");
}

TEST_F(OutsideCallsTest, nothing_is_to_be_kept__expect_no_ticket_for_it) {
  begin(3, 2, {2});
  acquire(1);
  Result asked = Result::kOk;
  Result long_one = Result::kOk;
  Result none = Result::kOk;
  application(1).when_requested = [&](const Request& request) {
    asked = network_[1].core.keep(request.ticket, bytes_of("three"));
  };
  application(0).when_requested = [&](const Request& request) {
    long_one = network_[0].core.keep(request.ticket, bytes_of("three"));
    none = network_[0].core.keep(0, bytes_of("a"));
  };
  CallOptions options = holder();
  options.most_answer_bytes = 3;
  ASSERT_EQ(ask(options), Result::kOk);
  run();
  run();
  EXPECT_EQ(asked, Result::kNoTicket) << "what it answers is kept anyway";
  EXPECT_EQ(long_one, Result::kTooLong);
  EXPECT_EQ(none, Result::kNoTicket);
  const uint64_t ticket = application(0).requests[0].ticket;
  EXPECT_EQ(network_[0].core.keep(ticket, {}), Result::kNoTicket) << "behind the request";
  EXPECT_EQ(network_[0].core.answer(ticket, {}), Result::kNoTicket);
  ASSERT_EQ(call(0, holder(), 2), Result::kOk) << "of a member, which never repeats it";
  network_.settle();
  EXPECT_EQ(application(0).requests[1].ticket, 0u);
}

TEST_F(OutsideCallsTest, the_entry_departs__expect_another_one_to_forward) {
  begin(4, 2, {2, 3});
  ASSERT_EQ(ask(answers(1)), Result::kOk);
  outside_->calls().poll(now_ns_);
  outside_->deliver(true);
  const uint32_t gone = life(2);
  network_.change([&](auto& node) { return node.self.incarnation == gone; }, 0);
  for (int i = 0; i < 6; ++i) run(200'000'000);
  ASSERT_EQ(application(0).requests.size(), 1u);
  ASSERT_EQ(answer(0, "a"), Result::kOk);
  run();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
}

TEST_F(OutsideCallsTest, a_newcomer_of_the_group__expect_that_it_knows_repetitions) {
  begin(4, 1, {3});
  ASSERT_EQ(ask(answers(0)), Result::kOk);
  run();
  run();
  ASSERT_EQ(network_[1].join("g"), Result::kOk);
  network_.settle();
  run(200'000'000);  // a repetition
  EXPECT_EQ(application(1).requests.size(), 0u);
  EXPECT_GT(network_[1].core.requests().counters().repetitions, 0u);
  ASSERT_EQ(answer(0, "a"), Result::kOk);
  run();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
}

TEST_F(OutsideCallsTest, nobody_forwards__expect_never_delivered_only_if_each_copy_was_refused) {
  network_.config.requests.forwards = 0;
  begin(2, 1, {1});
  CallOptions options = answers(0);
  options.timeout_ns = 50'000'000;
  ASSERT_EQ(ask(options), Result::kOk);
  run();
  run(60'000'000);
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kTimeout);
  EXPECT_EQ(caller_.ended_calls.at(1).delivered, Delivered::kNo) << "it had no session to go by";
}

TEST_F(OutsideCallsTest, the_group_has_changed_since__expect_it_refused_once_and_for_all) {
  begin(4, 1, {3});
  ASSERT_EQ(ask(answers(0)), Result::kOk);
  run();
  run();
  ASSERT_EQ(answer(0, "a"), Result::kOk);
  run();
  const auto& first = caller_.ended_calls.at(1);
  ASSERT_EQ(first.what, What::kAnswered);
  CallOptions options = answers(0);
  options.unchanged_since = Stamp{first.epoch, first.index + 1};
  ASSERT_EQ(ask(options, 2), Result::kOk);
  run();
  ASSERT_EQ(answer(0, "b"), Result::kOk);
  run();
  EXPECT_EQ(caller_.ended_calls.at(2).what, What::kAnswered) << "nobody has joined or left";
  ASSERT_EQ(network_[1].join("g"), Result::kOk);
  network_.settle();
  ASSERT_EQ(ask(options, 3), Result::kOk);
  run();
  EXPECT_EQ(caller_.ended_calls.at(3).what, What::kRefused);
  EXPECT_EQ(caller_.ended_calls.at(3).delivered, Delivered::kNo);
  EXPECT_EQ(application(0).requests.size(), 2u);
}

TEST_F(OutsideCallsTest, via_a_member__expect_that_it_forwards) {
  begin(4, 1, {3});
  CallOptions options = answers(0);
  options.via = network_[2].self;
  ASSERT_EQ(ask(options), Result::kOk);
  run();
  run();
  EXPECT_EQ(application(0).requests.size(), 1u);
  EXPECT_EQ(network_[2].core.forwards().counters().forwarded, 1u) << "the request";
  EXPECT_EQ(network_[3].core.forwards().counters().forwarded, 1u) << "the open";
}

TEST_F(OutsideCallsTest, the_holder_leaves_behind_its_answer__expect_that_it_has_not_declined) {
  begin(4, 2, {3});
  acquire(1);
  answer_in_vain();
  ASSERT_EQ(network_[1].core.leave("g"), Result::kOk);
  run(200'000'000);
  run(200'000'000);
  ASSERT_TRUE(caller_.ended_calls.contains(1)) << "nobody waits for who is in the view alone";
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kHolderDeparted);
}

TEST_F(OutsideCallsTest, nobody_wants_to_hear__expect_the_request_all_the_same) {
  begin(2, 1, {1});
  CallOptions options = answers(0);
  options.want = Want::kNothing;
  ASSERT_EQ(outside_->calls().call("g", bytes_of("text"), options, nullptr, 0), Result::kOk);
  run();
  run();
  EXPECT_EQ(application(0).requests.size(), 1u);
  EXPECT_EQ(outside_->calls().under_way(), 0u);
}

TEST_F(OutsideCallsTest, what_cannot_be_called__expect_it_refused) {
  begin(2, 1, {1});
  CallOptions options = answers(0);
  options.qos = wire::Qos::kSourceOrdered;
  EXPECT_EQ(ask(options), Result::kNeedsOrder);
  EXPECT_EQ(outside_->calls().call("", {}, answers(0), &caller_, 1), Result::kBadName);
  config_.max_message_bytes = 200;
  Outside small(network_, config_);
  const std::vector<uint8_t> most(200 - wire::kEnvelopeBytes - wire::kForwardHeaderBytes - 1);
  EXPECT_EQ(small.calls().call("g", most, answers(0), &caller_, 1), Result::kOk);
  EXPECT_EQ(small.calls().call("g", std::vector<uint8_t>(most.size() + 1), answers(0), &caller_, 1),
            Result::kTooLong);
}

}  // namespace outside_calls_test
}  // namespace lambdacast::group
