// SPDX-License-Identifier: BSD-3-Clause
// Calls of a node without membership, over the stages that ship: what it sends, and what becomes of
// the answers. Node 0 calls, the others are members' endpoints whose part the test plays.
#include "node/caller.h"

#include <gtest/gtest.h>

#include <deque>
#include <utility>

#include "small_network.h"
#include "test_identity.h"

namespace lambdacast::node {
namespace {

using wire::AnswerStatus;
using wire::RequestType;
using What = group::Outcome::What;

constexpr uint32_t kGroup = 77;  // number of "orders"
constexpr wire::RequestPlace kSession{3, 14};

class Handler final : public group::CallHandler {
 public:
  void answered(uint64_t token, const lambdacast::NodeName&,
                std::span<const uint8_t> answer) override {
    answers.emplace_back(token, std::vector<uint8_t>(answer.begin(), answer.end()));
  }
  void ended(uint64_t token, const group::Outcome& outcome) override {
    ends.emplace_back(token, outcome.what);
  }
  std::vector<std::pair<uint64_t, std::vector<uint8_t>>> answers;
  std::vector<std::pair<uint64_t, What>> ends;
};

class CallerTest : public ::testing::Test {
 protected:
  CallerTest() { network.run_until_joined(); }

  // The application of node 0 takes what has come, again and again.
  void run(uint64_t ns = 200'000) {
    for (const uint64_t end_ns = network.now_ns() + ns; network.now_ns() < end_ns;) {
      network.run_for(10'000);
      (void)network.node(0).take_with_calls(64, network.now_ns(), rest);
    }
  }
  [[nodiscard]] group::Result call(std::span<const uint8_t> message, uint64_t token,
                                   group::Want want = group::Want::kAnswers) {
    return network.node(0).caller()->call("orders", message, {.want = want}, &handler, token);
  }
  struct Heard {
    wire::Envelope envelope;
    wire::Forwarded forwarded;
  };
  // The forwards that the entry has been given since.
  [[nodiscard]] std::vector<Heard> at_entry() {
    std::vector<Heard> heard;
    for (const Delivery& each : network.host(1).deliveries) {
      Heard& next = heard.emplace_back();
      EXPECT_TRUE(wire::is_request(each.kind));
      EXPECT_TRUE(wire::load_envelope(each.bytes, next.envelope));
      EXPECT_EQ(next.envelope.type, RequestType::kForward);
      kept.push_back(each.bytes);
      const auto behind = std::span(kept.back()).subspan(wire::kEnvelopeBytes);
      EXPECT_TRUE(wire::load_forwarded(behind, next.forwarded));
      EXPECT_EQ(next.forwarded.name, "orders");
      EXPECT_EQ(next.forwarded.entry, test_identity(2).gid);
    }
    network.host(1).deliveries.clear();
    return heard;
  }
  void say(size_t member, const wire::Envelope& about, RequestType type, AnswerStatus status,
           std::span<const uint8_t> behind = {}) {
    wire::Envelope envelope;
    envelope.type = type;
    envelope.status = status;
    envelope.caller = about.caller;
    envelope.number = about.number;
    envelope.floor = about.floor;
    envelope.session = about.session;
    envelope.stamp = about.session == wire::RequestPlace{} ? kSession : wire::RequestPlace{3, 20};
    envelope.handler = kGroup;
    std::vector<uint8_t> message(wire::kEnvelopeBytes);
    wire::store_envelope(envelope, message.data());
    message.insert(message.end(), behind.begin(), behind.end());
    const EndpointIdentity caller = test_identity(1);
    ASSERT_TRUE(network.endpoint(member).publish(message,
                                                 wire::personal_group(caller.gid, caller.data_qpn),
                                                 wire::Qos::kReliable, wire::Kind::kRequest));
  }
  // Node 1 is the entry and the speaker, which opens the session.
  void open() {
    run();
    const auto heard = at_entry();
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_EQ(heard[0].envelope.session, wire::RequestPlace{});
    EXPECT_TRUE(heard[0].forwarded.message.empty());
    say(1, heard[0].envelope, RequestType::kStatus, AnswerStatus::kOpened);
    run();
  }
  [[nodiscard]] static std::vector<uint8_t> name_of(uint32_t member) {
    const EndpointIdentity identity = test_identity(member + 1);
    std::vector<uint8_t> bytes(wire::kStreamNameBytes);
    wire::store_stream_name({identity.gid, identity.data_qpn, identity.incarnation}, bytes.data());
    return bytes;
  }

  struct Rest : DeliverySink {
    void message(const PacketInfo&, std::span<const uint8_t> message) {
      messages.emplace_back(message.begin(), message.end());
    }
    void gap(const GapEvent&) {}
    std::vector<std::vector<uint8_t>> messages;
  };
  SmallNetwork network{3, [](size_t i, SmallConfig& config) {
                         if (i == 0) config.endpoint.take_most = 0;  // run() takes
                         const EndpointIdentity entry = test_identity(2);
                         config.node.entries = {{entry.gid, entry.data_qpn}};
                       }};
  Rest rest;
  Handler handler;
  std::deque<std::vector<uint8_t>> kept;  // what at_entry() refers to
};

TEST_F(CallerTest, call__expect_a_session_first_then_the_request_and_the_answers_told) {
  const std::vector<uint8_t> question = counting_bytes(100), answer = counting_bytes(40);
  ASSERT_EQ(call(question, 5), group::Result::kOk);
  open();
  const auto heard = at_entry();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].envelope.session, kSession);
  EXPECT_EQ(heard[0].envelope.want, wire::RequestWant::kAnswers);
  EXPECT_EQ(std::vector(heard[0].forwarded.message.begin(), heard[0].forwarded.message.end()),
            question);
  EXPECT_EQ(network.node(0).caller()->requests().under_way, 1u);
  say(2, heard[0].envelope, RequestType::kAnswer, AnswerStatus::kAnswered, answer);
  run();
  ASSERT_EQ(handler.answers.size(), 1u);
  EXPECT_EQ(handler.answers[0], std::pair(uint64_t{5}, answer));
  EXPECT_TRUE(handler.ends.empty()) << "who is asked is not known yet";
  say(1, heard[0].envelope, RequestType::kStatus, AnswerStatus::kAsked, name_of(2));
  run();
  EXPECT_EQ(handler.ends, (std::vector{std::pair(uint64_t{5}, What::kAnswered)}));
  EXPECT_EQ(network.node(0).caller()->requests().under_way, 0u);
  EXPECT_EQ(network.node(0).caller()->requests().outside.opened, 1u);
  EXPECT_TRUE(rest.messages.empty());
}

TEST_F(CallerTest, call_with_more_than_a_packet__expect_it_whole_at_the_entry) {
  const std::vector<uint8_t> question = counting_bytes(5'000);
  ASSERT_EQ(call(question, 1, group::Want::kAcknowledgement), group::Result::kOk);
  open();
  const auto heard = at_entry();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(std::vector(heard[0].forwarded.message.begin(), heard[0].forwarded.message.end()),
            question);
  say(1, heard[0].envelope, RequestType::kStatus, AnswerStatus::kAsked);
  run();
  EXPECT_EQ(handler.ends, (std::vector{std::pair(uint64_t{1}, What::kAcknowledged)}));
}

TEST_F(CallerTest, hear_nothing__expect_the_same_again_and_then_a_timeout) {
  ASSERT_EQ(call(counting_bytes(10), 9), group::Result::kOk);
  open();
  run(5'000'000'000);
  const auto heard = at_entry();
  ASSERT_GT(heard.size(), 1u);
  for (const Heard& each : heard) EXPECT_EQ(each.envelope.number, heard[0].envelope.number);
  EXPECT_EQ(handler.ends, (std::vector{std::pair(uint64_t{9}, What::kTimeout)}));
}

TEST_F(CallerTest, messages_that_are_no_answers__expect_them_to_be_the_applications) {
  const std::vector<uint8_t> message = counting_bytes(30);
  ASSERT_TRUE(network.endpoint(1).publish(message, 4, wire::Qos::kReliable));
  ASSERT_EQ(call(counting_bytes(10), 2), group::Result::kOk);
  run();
  EXPECT_EQ(rest.messages, (std::vector<std::vector<uint8_t>>{message}));
  network.node(0).caller()->cancel(handler, 2);
  run(10'000'000'000);
  EXPECT_TRUE(handler.ends.empty());
}

}  // namespace
}  // namespace lambdacast::node
