// SPDX-License-Identifier: BSD-3-Clause
// Calls between group layers over a simulated order: who is asked, what callers are told, and that
// each call ends once.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "calling.h"

namespace lambdacast::group {
namespace calls_test {

using What = Outcome::What;
using Delivered = Outcome::Delivered;
using Fate = Asked::Fate;

TEST_F(CallsTest, holder__expect_that_it_alone_is_asked_and_its_answer_ends_the_call) {
  start(4, 3);
  acquire(1);
  ASSERT_EQ(call(3, holder()), Result::kOk);
  network_.settle();
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(application(i).requests.size(), 1u) << i;
    EXPECT_EQ(application(i).requests[0].text, "how much?");
    EXPECT_EQ(application(i).requests[0].ticket != 0, i == 1) << i;
    EXPECT_EQ(application(i).requests[0].caller, life(3));
  }
  EXPECT_TRUE(caller_.ended_calls.empty());
  ASSERT_EQ(answer(1, "three"), Result::kOk);
  EXPECT_EQ(answer(1, "four"), Result::kNoTicket);
  network_.settle();
  ASSERT_EQ(caller_.answers[1].size(), 1u);
  EXPECT_EQ(caller_.answers[1][0], std::pair(life(1), std::string("three")));
  const Caller::Told& told = caller_.ended_calls.at(1);
  EXPECT_EQ(told.what, What::kAnswered);
  EXPECT_EQ(told.delivered, Delivered::kYes);
  EXPECT_EQ(told.epoch, network_.epoch);
  EXPECT_EQ(told.asked, (std::vector{std::pair(life(1), Fate::kAnswered)}));
  EXPECT_EQ(network_[3].core.calls().under_way(), 0u);
}

TEST_F(CallsTest, nobody_holds_the_lock__expect_nobody_and_that_members_have_the_request) {
  start(3, 2);
  ASSERT_EQ(call(2, holder()), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kNobody);
  EXPECT_EQ(caller_.ended_calls.at(1).delivered, Delivered::kYes);
  EXPECT_EQ(application(0).requests.size(), 1u);
}

TEST_F(CallsTest, no_member_is_left__expect_nobody_and_that_it_is_never_delivered) {
  start(2, 1);
  ASSERT_EQ(network_[0].leave("g"), Result::kOk);
  network_.settle();
  ASSERT_EQ(call(1, answers(0)), Result::kOk);
  CallOptions low = answers(0);
  low.qos = wire::Qos::kTotallyOrdered;
  ASSERT_EQ(call(1, low, 2), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kNobody);
  EXPECT_EQ(caller_.ended_calls.at(1).delivered, Delivered::kNo);
  EXPECT_EQ(caller_.ended_calls.at(2).delivered, Delivered::kUnknown) << "of this view alone";
}

TEST_F(CallsTest, two_of_three_answers__expect_that_the_slow_one_is_not_waited_for) {
  start(4, 3);
  ASSERT_EQ(call(3, answers(2)), Result::kOk);
  network_.settle();
  ASSERT_EQ(answer(2, "c"), Result::kOk);
  network_.settle();
  EXPECT_TRUE(caller_.ended_calls.empty());
  ASSERT_EQ(answer(0, "a"), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
  EXPECT_EQ(caller_.ended_calls.at(1).asked,
            (std::vector{std::pair(life(0), Fate::kAnswered), std::pair(life(1), Fate::kSilent),
                         std::pair(life(2), Fate::kAnswered)}));
  ASSERT_EQ(answer(1, "b"), Result::kOk);
  network_.settle();
  EXPECT_EQ(network_[3].core.calls().counters().late, 1u);
}

TEST_F(CallsTest, one_declines__expect_fewer_answers_than_wanted) {
  start(3, 2);
  ASSERT_EQ(call(2, answers(0)), Result::kOk);
  network_.settle();
  ASSERT_EQ(answer(0, "a"), Result::kOk);
  ASSERT_EQ(network_[1].core.decline(application(1).requests.back().ticket), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kShort);
  EXPECT_EQ(caller_.ended_calls.at(1).asked, (std::vector{std::pair(life(0), Fate::kAnswered),
                                                          std::pair(life(1), Fate::kDeclined)}));
}

TEST_F(CallsTest, the_holder_departs__expect_that_the_caller_learns_it) {
  start(4, 3);
  acquire(1);
  ASSERT_EQ(call(3, holder()), Result::kOk);
  ASSERT_EQ(call(3, answers(0), 2), Result::kOk);
  network_.settle();
  const uint32_t gone = life(1);
  const uint32_t first = life(0), third = life(2);
  const uint64_t epoch = network_.epoch;
  network_.change([&](auto& node) { return node.self.incarnation == gone; }, 0);
  const Caller::Told& told = caller_.ended_calls.at(1);
  EXPECT_EQ(told.what, What::kHolderDeparted);
  EXPECT_EQ(told.delivered, Delivered::kYes);
  EXPECT_EQ(told.epoch, epoch);
  EXPECT_EQ(told.asked, (std::vector{std::pair(gone, Fate::kDeparted)}));
  EXPECT_FALSE(caller_.ended_calls.contains(2));
  ASSERT_EQ(answer(0, "a"), Result::kOk);
  ASSERT_EQ(answer(1, "c"), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(2).what, What::kShort);
  EXPECT_EQ(caller_.ended_calls.at(2).asked,
            (std::vector{std::pair(first, Fate::kAnswered), std::pair(third, Fate::kAnswered),
                         std::pair(gone, Fate::kDeparted)}));
}

TEST_F(CallsTest, an_answer_comes_behind_the_view_without_its_sender__expect_it_told) {
  start(4, 3);
  ASSERT_EQ(call(3, answers(0)), Result::kOk);
  wire::Envelope envelope;
  ASSERT_TRUE(wire::load_envelope(network_[3].unordered.back().bytes, envelope));
  network_.settle();
  const wire::StreamName gone = network_[1].self;
  Delivery from;
  from.source = gone;
  from.qos = wire::Qos::kReliable;
  envelope.type = wire::RequestType::kAnswer;
  envelope.stamp = {network_.epoch, 1};
  std::vector<uint8_t> bytes(wire::kEnvelopeBytes);
  wire::store_envelope(envelope, bytes.data());
  network_.change([&](auto& node) { return node.self == gone; }, 0);
  for (int times = 0; times < 2; ++times) network_[2].core.request_message(from, bytes);
  EXPECT_EQ(network_[2].core.calls().counters().late, 1u) << "once";
  ASSERT_EQ(answer(0, "a"), Result::kOk);
  ASSERT_EQ(answer(1, "c"), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
  EXPECT_EQ(caller_.ended_calls.at(1).asked.back(), std::pair(gone.incarnation, Fate::kAnswered));
}

TEST_F(CallsTest, acknowledgement__expect_the_end_at_its_place_and_nobody_asked) {
  start(2, 1);
  CallOptions options;
  options.want = Want::kAcknowledgement;
  ASSERT_EQ(call(1, options), Result::kOk);
  EXPECT_TRUE(caller_.ended_calls.empty());
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAcknowledged);
  EXPECT_EQ(caller_.ended_calls.at(1).delivered, Delivered::kYes);
  ASSERT_EQ(application(0).requests.size(), 1u);
  EXPECT_EQ(application(0).requests[0].ticket, 0u);
}

TEST_F(CallsTest, acknowledgement_of_a_source_ordered_request__expect_it_when_it_is_stable) {
  start(2, 1);
  CallOptions options;
  options.want = Want::kAcknowledgement;
  options.qos = wire::Qos::kSourceOrdered;
  ASSERT_EQ(call(1, options), Result::kOk);
  network_.settle();
  EXPECT_TRUE(caller_.ended_calls.empty());
  EXPECT_EQ(application(0).requests.size(), 1u);
  network_[1].stable_publications = network_[1].publications;
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAcknowledged);
}

TEST_F(CallsTest, more_than_a_level_has__expect_that_it_is_refused) {
  start(1, 1);
  CallOptions options = holder();
  options.qos = wire::Qos::kSourceOrdered;
  EXPECT_EQ(call(0, options), Result::kNeedsOrder);
  options.want = Want::kAcknowledgement;
  options.qos = wire::Qos::kUnreliable;
  EXPECT_EQ(call(0, options), Result::kNeedsOrder);
  EXPECT_EQ(network_[0].core.call("nobody's", {}, holder(), &caller_, 1), Result::kUnknownGroup);
  EXPECT_EQ(network_[0].core.call("", {}, holder(), &caller_, 1), Result::kBadName);
  EXPECT_EQ(network_[0].core.answer(0, {}), Result::kNoTicket);
  EXPECT_EQ(network_[0].core.decline(12345), Result::kNoTicket);
  EXPECT_TRUE(caller_.ended_calls.empty());
}

TEST_F(CallsTest, nobody_answers_in_time__expect_a_timeout_and_a_late_answer_counted) {
  start(2, 1);
  acquire(0);
  CallOptions options = holder();
  options.timeout_ns = 25'000'000;
  ASSERT_EQ(call(1, options), Result::kOk);
  network_.settle();
  network_.now_ns += 1'000'000'000;  // it was stopped: ten ms of it count
  network_.settle();
  EXPECT_TRUE(caller_.ended_calls.empty());
  for (int i = 0; i < 3; ++i) {
    network_.now_ns += 10'000'000;
    network_[1].poll();
  }
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kTimeout);
  EXPECT_EQ(caller_.ended_calls.at(1).delivered, Delivered::kYes);
  ASSERT_EQ(answer(0, "late"), Result::kOk);
  network_.settle();
  EXPECT_EQ(network_[1].core.calls().counters().late, 1u);
  EXPECT_TRUE(caller_.answers.empty());
}

TEST_F(CallsTest, time_is_over_and_not_all_has_been_taken__expect_no_timeout) {
  start(1, 1);
  CallOptions options = answers(0);
  options.timeout_ns = 1;
  ASSERT_EQ(call(0, options), Result::kOk);
  network_.now_ns += 100;
  network_[0].core.poll(network_.now_ns, false);
  EXPECT_TRUE(caller_.ended_calls.empty());
  network_[0].core.poll(network_.now_ns + 1, true);
  EXPECT_EQ(caller_.ended_calls.at(1).delivered, Delivered::kUnknown) << "not in the order yet";
}

TEST_F(CallsTest, out_of_the_view__expect_unknown) {
  start(2, 1);
  acquire(0);
  ASSERT_EQ(call(1, holder()), Result::kOk);
  network_.settle();
  ASSERT_EQ(call(1, holder(), 2), Result::kOk);
  network_[1].core.out(End::kExcluded);
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kUnknown);
  EXPECT_EQ(caller_.ended_calls.at(1).delivered, Delivered::kYes);
  EXPECT_EQ(caller_.ended_calls.at(2).delivered, Delivered::kUnknown);
}

TEST_F(CallsTest, cancelled__expect_neither_answers_nor_an_outcome) {
  start(2, 1);
  acquire(0);
  ASSERT_EQ(call(1, holder()), Result::kOk);
  network_.settle();
  network_[1].core.cancel(caller_, 1);
  ASSERT_EQ(answer(0, "a"), Result::kOk);
  network_.settle();
  EXPECT_TRUE(caller_.ended_calls.empty());
  EXPECT_TRUE(caller_.answers.empty());
  EXPECT_EQ(network_[1].core.calls().under_way(), 0u);
}

}  // namespace calls_test
}  // namespace lambdacast::group
