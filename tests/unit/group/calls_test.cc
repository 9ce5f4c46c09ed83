// SPDX-License-Identifier: BSD-3-Clause
// Calls between group layers over a simulated order: who is asked, what callers are told, and that
// each call ends once.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "group_network.h"

namespace lambdacast::group {
namespace calls_test {
namespace {

using What = Outcome::What;
using Delivered = Outcome::Delivered;
using Fate = Asked::Fate;

std::vector<uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

// A caller that writes down what it is told.
class Caller final : public CallHandler {
 public:
  struct Told {
    What what;
    Delivered delivered;
    uint64_t epoch = 0, index = 0;
    std::vector<std::pair<uint32_t, Fate>> asked;  // by incarnation
  };
  void answered(uint64_t token, const NodeName& from, std::span<const uint8_t> answer) override {
    EXPECT_FALSE(ended_calls.contains(token)) << "an answer behind the outcome";
    answers[token].emplace_back(from.incarnation, std::string(answer.begin(), answer.end()));
  }
  void ended(uint64_t token, const Outcome& outcome) override {
    EXPECT_FALSE(ended_calls.contains(token)) << "ended twice";
    Told& told = ended_calls[token];
    told = {outcome.what, outcome.delivered, outcome.epoch, outcome.index, {}};
    for (const Asked& each : outcome.asked)
      told.asked.emplace_back(each.member.incarnation, each.fate);
  }
  std::map<uint64_t, std::vector<std::pair<uint32_t, std::string>>> answers;
  std::map<uint64_t, Told> ended_calls;
};

// A network of nodes whose first `members` are in the group "g".
class CallsTest : public ::testing::Test {
 protected:
  void start(size_t nodes, size_t members) {
    network_.start(nodes);
    for (size_t i = 0; i < members; ++i) {
      ASSERT_EQ(network_[i].join("g"), Result::kOk);
      network_.settle();
    }
  }
  void acquire(size_t node) {
    ASSERT_EQ(network_[node].core.acquire("g", 7), Result::kOk);
    network_.settle();
  }
  Result call(size_t from, const CallOptions& options, uint64_t token = 1,
              std::string_view text = "how much?") {
    return network_[from].core.call("g", bytes_of(text), options, &caller_, token);
  }
  static CallOptions holder() {
    CallOptions options;
    options.handler = 7;
    return options;
  }
  static CallOptions answers(uint8_t k) {
    CallOptions options;
    options.want = Want::kAnswers;
    options.answers = k;
    return options;
  }
  HashApplication& application(size_t node) { return network_[node].application("g"); }
  Result answer(size_t node, std::string_view text) {
    return network_[node].core.answer(application(node).requests.back().ticket, bytes_of(text));
  }
  [[nodiscard]] uint32_t life(size_t node) { return network_[node].self.incarnation; }

  GroupNetwork network_{1};
  Caller caller_;
};

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

TEST_F(CallsTest, the_holder_calls_itself__expect_its_own_answer) {
  start(2, 2);
  acquire(0);
  ASSERT_EQ(call(0, holder()), Result::kOk);
  network_.settle();
  ASSERT_EQ(answer(0, "me"), Result::kOk);
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kAnswered);
  EXPECT_EQ(caller_.answers[1].size(), 1u);
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
  EXPECT_EQ(caller_.ended_calls.at(1).asked,
            (std::vector{std::pair(life(0), Fate::kAnswered), std::pair(life(1), Fate::kDeclined)}));
}

TEST_F(CallsTest, the_asked_leaves__expect_that_it_declines) {
  start(3, 2);
  acquire(1);
  ASSERT_EQ(call(2, holder()), Result::kOk);
  network_.settle();
  ASSERT_EQ(network_[1].leave("g"), Result::kOk);
  network_.settle();
  EXPECT_EQ(caller_.ended_calls.at(1).what, What::kShort);
  EXPECT_EQ(caller_.ended_calls.at(1).asked,
            (std::vector{std::pair(life(1), Fate::kDeclined)}));
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

TEST_F(CallsTest, an_answer_longer_than_the_caller_takes__expect_that_the_ticket_stays) {
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

TEST_F(CallsTest, as_many_as_may_be__expect_back_pressure_and_room_again) {
  network_.config.calls = 2;
  network_.config.tickets = 1;
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

TEST_F(CallsTest, the_group_is_suspended_at_its_place__expect_that_nobody_has_it) {
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

TEST_F(CallsTest, a_newcomer_waits_for_its_state__expect_the_request_behind_it_and_no_ticket) {
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

TEST_F(CallsTest, nothing_is_wanted__expect_the_request_and_no_outcome) {
  start(2, 1);
  CallOptions options;
  options.want = Want::kNothing;
  ASSERT_EQ(network_[1].core.call("g", bytes_of("listen"), options, nullptr, 0), Result::kOk);
  ASSERT_EQ(network_[1].core.call("g", bytes_of("listen"), options, nullptr, 0), Result::kOk);
  network_.settle();
  EXPECT_EQ(application(0).requests.size(), 2u);
  EXPECT_EQ(network_[1].core.calls().under_way(), 0u);
}

}  // namespace
}  // namespace calls_test
}  // namespace lambdacast::group
