// SPDX-License-Identifier: BSD-3-Clause
// Callers outside the view against group layers over a simulated order: sessions, entries that are
// lost, repetitions, and members that depart.
#include "group/outside_calls.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "calling.h"

namespace lambdacast::group {
namespace outside_calls_test {

using What = Outcome::What;
using Delivered = Outcome::Delivered;
using Fate = Asked::Fate;
using Layer = GroupNetwork::Layer;

// An endpoint that is no node of the network, and hears what comes to its personal group.
class Outside final : private AnswerCarrier {
 public:
  Outside(GroupNetwork& network, const OutsideCallsConfig& config)
      : network_(network), self_(config.self), calls_(config, *this) {}

  OutsideCalls& calls() { return calls_; }
  // Hands over what it has sent, unless that is lost.
  void deliver(bool lost = false) {
    for (GroupNetwork::Sent& sent : std::exchange(sent_, {})) {
      for (auto& node : network_.nodes) {
        const bool to = sent.group == wire::personal_group(node->self.gid, node->self.qpn) ||
                        sent.group == wire::kFindGroup;
        if (to && !lost) node->core.request_message(from(sent), sent.bytes);
      }
    }
  }
  // Takes what members have said to it.
  void hear(bool lost = false) {
    for (GroupNetwork::Sent& sent : network_.take_sent_to(personal())) {
      if (!lost) calls_.take(sent.source, sent.bytes);
    }
  }
  [[nodiscard]] uint32_t personal() const { return wire::personal_group(self_.gid, self_.qpn); }
  [[nodiscard]] size_t waiting() const { return sent_.size(); }

 private:
  static Delivery from(const GroupNetwork::Sent& sent) {
    Delivery delivery;
    delivery.group = sent.group;
    delivery.source = sent.source;
    delivery.qos = sent.qos;
    return delivery;
  }
  Result answer(std::span<const uint8_t> envelope, const Content& message,
                uint32_t group) override {
    std::vector<uint8_t> bytes(envelope.begin(), envelope.end());
    bytes.insert(bytes.end(), message.bytes().begin(), message.bytes().end());
    sent_.push_back({self_, group, wire::Qos::kReliable, Layer::kRequests, std::move(bytes), 0, 0});
    return Result::kOk;
  }

  GroupNetwork& network_;
  wire::StreamName self_;
  std::vector<GroupNetwork::Sent> sent_;
  OutsideCalls calls_;
};

class OutsideCallsTest : public CallsTest {
 protected:
  void begin(size_t nodes, size_t members, std::vector<size_t> entries) {
    start(nodes, members);
    for (const size_t each : entries)
      config_.entries.push_back({network_[each].self.gid, network_[each].self.qpn});
    outside_ = std::make_unique<Outside>(network_, config_);
  }
  Result ask(const CallOptions& options, uint64_t token = 1) {
    return outside_->calls().call("g", bytes_of("how much?"), options, &caller_, token);
  }
  // The holder of the lock, node 1, answers a call, which its caller does not hear.
  void answer_in_vain() {
    ASSERT_EQ(ask(holder()), Result::kOk);
    run();
    run();
    ASSERT_EQ(answer(1, "three"), Result::kOk);
    network_.settle();
    outside_->hear(true);
  }
  // So much time passes, and all that is said comes to where it goes.
  void run(uint64_t ns = 0) {
    now_ns_ += ns;
    outside_->calls().poll(now_ns_);
    for (int i = 0; i < 4; ++i) {
      outside_->deliver();
      network_.settle();
      outside_->hear();
    }
  }

  // The caller asks again, by node 3, and `meanwhile` comes while the others have not heard it.
  template <typename Meanwhile>
  void expect_none_kept(Meanwhile&& meanwhile) {
    now_ns_ += 200'000'000;
    outside_->calls().poll(now_ns_);
    outside_->deliver();
    network_[3].poll();
    network_.order_only(network_[3], network_[3].unordered.size());
    meanwhile();
    network_.settle();
    outside_->hear();
    ASSERT_TRUE(caller_.ended_calls.contains(1));
    const auto& ended = caller_.ended_calls.at(1);
    EXPECT_EQ(ended.what, What::kNoAnswerKept);
    EXPECT_EQ(ended.asked, (std::vector{std::pair(life(1), Asked::Fate::kForgotten)}));
    EXPECT_EQ(application(1).requests.size(), 1u);
  }

  OutsideCallsConfig config_{.self = {wire::gid_from_ipv4(0x0a000901), 0x11, 77},
                             .requests = {.timeout_ns = 10'000'000'000}};
  uint64_t now_ns_ = 1;
  std::unique_ptr<Outside> outside_;
};

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

TEST_F(OutsideCallsTest, more_callers_than_sessions__expect_the_oldest_told_that_it_expired) {
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

// Members execute a request once, so who keeps no answer to it has not declined it.
TEST_F(OutsideCallsTest, an_answer_is_lost_and_not_kept__expect_so_and_not_that_it_is_declined) {
  network_.config.requests.answers_bytes = 1;
  begin(4, 2, {3});
  acquire(1);
  answer_in_vain();
  expect_none_kept([] {});
}

TEST_F(OutsideCallsTest,
       its_member_leaves_and_keeps_no_answer__expect_so_and_not_that_it_declines) {
  network_.config.requests.answers_bytes = 1;
  begin(4, 2, {3});
  acquire(1);
  answer_in_vain();
  expect_none_kept([this] { ASSERT_EQ(network_[1].core.leave("g"), Result::kOk); });
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
