// SPDX-License-Identifier: BSD-3-Clause
// An entry alone: receive a forward, expect what it publishes and what it says.
#include "group/forwards.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace lambdacast::group {
namespace forwards_test {

using wire::AnswerStatus;
using wire::RequestType;

// Writes down what is published and what is said.
class Mouth final : public Carrier {
 public:
  struct Said {
    wire::Envelope envelope;
    uint32_t group = 0;
    std::string text;
  };
  Result request(std::span<const uint8_t> envelope, std::span<const uint8_t> message,
                 uint32_t group, wire::Qos) override {
    if (result == Result::kOk) ordered.push_back(said(envelope, message, group));
    return result;
  }
  Result answer(std::span<const uint8_t> envelope, const Content& message,
                uint32_t group) override {
    told.push_back(said(envelope, message.bytes(), group));
    return Result::kOk;
  }
  bool say(std::span<const uint8_t>, uint32_t, wire::Qos) override { return false; }
  Result publish(std::span<const uint8_t>, uint32_t, wire::Qos) override { return Result::kAgain; }
  bool subscribe(uint32_t) override { return false; }
  void unsubscribe(uint32_t) override {}
  [[nodiscard]] uint64_t published() const override { return 0; }
  [[nodiscard]] uint64_t stable() const override { return 0; }
  [[nodiscard]] uint64_t operational() const override { return 1; }

  Result result = Result::kOk;
  std::vector<Said> ordered, told;

 private:
  static Said said(std::span<const uint8_t> envelope, std::span<const uint8_t> message,
                   uint32_t group) {
    Said said{{}, group, {message.begin(), message.end()}};
    EXPECT_TRUE(wire::load_envelope(envelope, said.envelope));
    return said;
  }
};

wire::StreamName node(uint32_t number) {
  return {wire::gid_from_ipv4(0x0a000000 + number), 0x11, number};
}

// Rank 1 of two, which knows one group.
struct Bench {
  Bench() {
    nodes.begin(1, std::vector{node(1), node(2)});
    number = directory.enroll("g")->number;
  }
  void forward(const wire::Envelope& envelope, std::string_view name = "g",
               wire::Qos qos = wire::Qos::kMajority, bool informed = true) {
    std::vector<uint8_t> bytes(wire::kForwardHeaderBytes + name.size());
    wire::store_forward_header({qos, entry.gid, entry.qpn, name, {}}, bytes.data());
    for (const char c : std::string_view("text")) bytes.push_back(static_cast<uint8_t>(c));
    Delivery from;
    from.source = sender;
    forwards.take(from, envelope, bytes, informed);
  }
  [[nodiscard]] wire::Envelope request(uint64_t number_of_it) const {
    wire::Envelope envelope;
    envelope.type = RequestType::kForward;
    envelope.caller = sender;
    envelope.number = number_of_it;
    envelope.floor = number_of_it - 1;
    envelope.session = {1, 7};
    return envelope;
  }

  const wire::StreamName sender = node(9);
  wire::StreamName entry = node(2);
  NodeView nodes{node(2)};
  Directory directory{16};
  Mouth mouth;
  Forwards forwards{2, nodes, directory, mouth};
  uint32_t number = 0;
};

TEST(Forwards, a_request__expect_it_published_once_and_told_when_it_has_its_place) {
  Bench bench;
  bench.forward(bench.request(1));
  bench.forward(bench.request(1));
  ASSERT_EQ(bench.mouth.ordered.size(), 1u);
  EXPECT_EQ(bench.mouth.ordered[0].envelope.type, RequestType::kRequest);
  EXPECT_EQ(bench.mouth.ordered[0].group, bench.number);
  EXPECT_EQ(bench.mouth.ordered[0].text, "text");
  EXPECT_EQ(bench.forwards.counters().merged, 1u);
  EXPECT_TRUE(bench.mouth.told.empty());
  bench.forwards.placed(bench.mouth.ordered[0].envelope, bench.number, {1, 8});
  ASSERT_EQ(bench.mouth.told.size(), 1u);
  EXPECT_EQ(bench.mouth.told[0].envelope.type, RequestType::kPlaced);
  EXPECT_EQ(bench.mouth.told[0].envelope.stamp, (wire::RequestPlace{1, 8}));
  EXPECT_EQ(bench.mouth.told[0].group, wire::personal_group(bench.sender.gid, bench.sender.qpn));
  EXPECT_EQ(bench.forwards.under_way(), 0u);
  bench.forward(bench.request(1));
  EXPECT_EQ(bench.mouth.ordered.size(), 2u) << "the sessions tell that it is a repetition";
}

TEST(Forwards, without_a_session__expect_an_open) {
  Bench bench;
  wire::Envelope envelope = bench.request(1);
  envelope.session = {};
  bench.forward(envelope);
  ASSERT_EQ(bench.mouth.ordered.size(), 1u);
  EXPECT_EQ(bench.mouth.ordered[0].envelope.type, RequestType::kOpen);
}

TEST(Forwards, no_room_or_no_such_group_or_too_low_a_level__expect_busy) {
  Bench bench;
  bench.forward(bench.request(1), "h");
  bench.forward(bench.request(2), "g", wire::Qos::kSourceOrdered);
  bench.mouth.result = Result::kAgain;
  bench.forward(bench.request(3));
  bench.mouth.result = Result::kOk;
  bench.forward(bench.request(4));
  bench.forward(bench.request(5));
  bench.forward(bench.request(6));
  EXPECT_EQ(bench.mouth.ordered.size(), 2u);
  ASSERT_EQ(bench.mouth.told.size(), 4u);
  for (const Mouth::Said& each : bench.mouth.told)
    EXPECT_EQ(each.envelope.status, AnswerStatus::kBusy);
  EXPECT_EQ(bench.forwards.counters().refused, 4u);
}

TEST(Forwards, not_in_a_view__expect_busy) {
  Bench bench;
  bench.forward(bench.request(1), "g", wire::Qos::kMajority, false);
  EXPECT_TRUE(bench.mouth.ordered.empty());
  ASSERT_EQ(bench.mouth.told.size(), 1u);
  EXPECT_EQ(bench.mouth.told[0].envelope.status, AnswerStatus::kBusy);
  EXPECT_EQ(bench.forwards.counters().refused, 1u);
}

TEST(Forwards, for_another_with_the_same_personal_group__expect_silence) {
  Bench bench;
  bench.entry = node(3);
  bench.forward(bench.request(1));
  EXPECT_TRUE(bench.mouth.ordered.empty());
  EXPECT_TRUE(bench.mouth.told.empty());
  EXPECT_EQ(bench.forwards.counters().others, 1u);
}

TEST(Forwards, in_another_s_name_or_without_a_group_s__expect_nothing) {
  Bench bench;
  wire::Envelope envelope = bench.request(1);
  envelope.caller = node(8);
  bench.forward(envelope);
  bench.forward(bench.request(1), "");
  EXPECT_TRUE(bench.mouth.ordered.empty());
  EXPECT_EQ(bench.forwards.counters().nonsense, 2u);
}

TEST(Forwards, a_search__expect_each_member_to_answer_in_its_turn) {
  Bench bench;
  for (uint64_t attempt = 1; attempt <= 4; ++attempt) {
    wire::Envelope envelope = bench.request(attempt);
    envelope.type = RequestType::kFind;
    envelope.session = {};
    bench.forward(envelope);
  }
  ASSERT_EQ(bench.mouth.told.size(), 2u) << "the other ones are rank 0's";
  EXPECT_EQ(bench.mouth.told[0].envelope.type, RequestType::kEntry);
}

}  // namespace forwards_test
}  // namespace lambdacast::group
