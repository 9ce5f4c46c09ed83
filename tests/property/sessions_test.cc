// SPDX-License-Identifier: BSD-3-Clause
// Random requests, repetitions, refusals, views and newcomers against a naive model of the
// sessions, which remembers every number for ever.
#include "group/sessions.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace lambdacast::group {
namespace sessions_test {

using Verdict = Sessions::Verdict;

wire::StreamName caller(uint32_t number) {
  wire::StreamName name;
  name.incarnation = number;
  return name;
}

struct Model {
  struct Session {
    Sessions::Place id, last_use;
    uint64_t floor = 0;
    std::map<uint64_t, int> numbers;  // taken: the rank asked, -1: nobody; -2: refused
  };
  std::map<uint32_t, Session> sessions;
};

class SessionHistories : public ::testing::Test {
 protected:
  [[nodiscard]] Sessions::Place next() { return {epoch_, ++place_}; }

  void open(uint32_t who) {
    const Sessions::Place at = next();
    if (!model_.sessions.contains(who)) {
      if (model_.sessions.size() == kMost) {
        auto oldest = model_.sessions.begin();
        for (auto each = oldest; each != model_.sessions.end(); ++each) {
          if (each->second.last_use < oldest->second.last_use) oldest = each;
        }
        model_.sessions.erase(oldest);
      }
      model_.sessions[who].id = at;
    }
    model_.sessions[who].last_use = at;
    EXPECT_EQ(sessions_.open(caller(who), at), model_.sessions[who].id);
    id_[who] = model_.sessions[who].id;  // what the caller is told
  }

  Verdict expected(uint32_t who, const wire::Envelope& request, const Sessions::Place& at) {
    const auto found = model_.sessions.find(who);
    if (found == model_.sessions.end() || found->second.id != request.session)
      return Verdict::kExpired;
    Model::Session& session = found->second;
    session.last_use = at;
    session.floor = std::max(session.floor, request.floor);
    if (request.number <= session.floor) return Verdict::kRepetition;
    const auto known = session.numbers.find(request.number);
    if (known == session.numbers.end()) {
      session.numbers[request.number] = -1;
      return Verdict::kNew;
    }
    return known->second == -2 ? Verdict::kRefused : Verdict::kRepetition;
  }

  void request(uint32_t who) {
    wire::Envelope request;
    request.caller = caller(who);
    request.session = id_[who];
    // A copy of an older one, as a rule; the caller's floor rises now and then.
    if (random_.below(4) == 0) floor_[who] += random_.below(20);
    request.floor = floor_[who] - std::min<uint64_t>(floor_[who], random_.below(3) * 5);
    request.number = request.floor + 1 + random_.below(wire::kRequestsUnderWay);
    const Sessions::Place at = next();
    const Verdict verdict = expected(who, request, at);
    ASSERT_EQ(sessions_.take(request, at), verdict) << "request " << request.number;
    if (verdict == Verdict::kExpired) return;
    Model::Session& session = model_.sessions[who];
    if (verdict == Verdict::kNew && random_.below(4) == 0) {
      sessions_.refuse(request);
      session.numbers[request.number] = -2;
    } else if (verdict == Verdict::kNew && random_.below(2) == 0) {
      const auto rank = static_cast<uint8_t>(random_.below(ranks_));
      sessions_.ask(request, rank);
      session.numbers[request.number] = rank;
    }
    if (request.number <= session.floor) return;
    const int asked = session.numbers[request.number];
    EXPECT_EQ(sessions_.asked(request), asked < 0 ? kGone : asked);
  }

  void view() {
    std::array<uint8_t, wire::kMaxMembers> now;
    uint8_t stay = 0;
    for (size_t i = 0; i < ranks_; ++i) now[i] = random_.below(3) == 0 ? kGone : stay++;
    sessions_.move(std::span(now).first(ranks_));
    for (auto& [who, session] : model_.sessions) {
      for (auto& [number, asked] : session.numbers) {
        if (asked >= 0) asked = now[size_t(asked)] == kGone ? -1 : now[size_t(asked)];
      }
    }
    ranks_ = std::max<size_t>(stay + random_.below(4), 1);
    ++epoch_;
    place_ = 0;
    if (random_.below(2) == 0) return;
    std::vector<uint8_t> saved;
    sessions_.save(saved);
    sessions_ = Sessions(kMost);
    ASSERT_TRUE(sessions_.load(saved, ranks_));
  }

  static constexpr size_t kMost = 4;
  Sessions sessions_{kMost};
  Model model_;
  base::SplitMix64 random_{0};
  std::map<uint32_t, Sessions::Place> id_;
  std::map<uint32_t, uint64_t> floor_;
  size_t ranks_ = 5;
  uint64_t epoch_ = 1;
  uint64_t place_ = 0;
};

TEST_F(SessionHistories, random_requests__expect_each_number_once_as_the_naive_model_has_it) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    sessions_ = Sessions(kMost);
    model_ = {};
    id_.clear();
    floor_.clear();
    random_ = base::SplitMix64(seed);
    for (int i = 0; i < 500; ++i) {
      const auto who = static_cast<uint32_t>(1 + random_.below(6));
      const uint64_t drawn = random_.below(20);
      if (drawn == 0) {
        view();
      } else if (drawn < 3) {
        open(who);
      } else {
        request(who);
      }
      EXPECT_EQ(sessions_.size(), model_.sessions.size());
      if (HasFailure()) return;
    }
  }
}

}  // namespace sessions_test
}  // namespace lambdacast::group
