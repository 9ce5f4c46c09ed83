// SPDX-License-Identifier: BSD-3-Clause
// A caller, and a network of group layers whose first nodes are members of the group "g".
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "group_network.h"

namespace lambdacast::group {

inline std::vector<uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

// A caller that writes down what it is told.
class Caller final : public CallHandler {
 public:
  using What = Outcome::What;
  struct Told {
    What what;
    Outcome::Delivered delivered;
    uint64_t epoch = 0, index = 0;
    std::vector<std::pair<uint32_t, Asked::Fate>> asked;  // by incarnation
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

}  // namespace lambdacast::group
