// SPDX-License-Identifier: BSD-3-Clause
// NeighborTable against a model that keeps, for each peer, only what was asked and heard of it, and
// says what must follow; on a virtual clock, with peers that answer, fall silent, move and come
// back, and with more of them than the table has places.

#include "neighbor/neighbor_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace lambdacast::neighbor {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

class Model {
 public:
  Model(uint64_t seed, size_t capacity)
      : random_(seed), capacity_(capacity), table_({.max_neighbors = capacity}) {}

  void run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFatalFailure(); ++step) {
      now_ns_ += random_.below(kSecond);
      switch (random_.below(4)) {
        case 0:
          resolve();
          break;
        case 1:
          hear();
          break;
        default:
          poll();
      }
      check();
    }
  }

 private:
  [[nodiscard]] wire::Gid draw_peer() {
    return wire::gid_from_ipv4(static_cast<uint32_t>(random_.below(2 * capacity_)));
  }
  [[nodiscard]] wire::MacAddress draw_mac() {
    return {{2, 0, 0, 0, 0, static_cast<uint8_t>(random_.below(3))}};
  }

  void resolve() {
    const wire::Gid gid = draw_peer();
    const Lookup before = table_.find(gid);
    const Lookup after = table_.resolve(gid, now_ns_);
    // Asking never changes an address, and loses none but one that is replaced for it.
    if (before.state != NeighborState::kNone) {
      ASSERT_EQ(before.mac, after.mac);
    }
    if (after.state != NeighborState::kNone) asked_[gid] = now_ns_;
  }

  void hear() {
    Heard heard{draw_peer(), draw_mac(), random_.below(2) == 0, random_.below(4) != 0,
                random_.below(2) == 0};
    const Lookup before = table_.find(heard.gid);
    const auto learnt = table_.hear(heard, now_ns_);
    const Lookup after = table_.find(heard.gid);
    if (before.state == NeighborState::kNone) {
      if (!heard.to_us || learnt == NeighborTable::Learnt::kFull) {
        ASSERT_EQ(after.state, NeighborState::kNone);
        return;
      }
    }
    const bool overrules = heard.replaces || !before.mac;
    ASSERT_EQ(after.mac, overrules ? heard.mac : before.mac);
    ASSERT_EQ(learnt == NeighborTable::Learnt::kResolved, after.mac != before.mac);
  }

  void poll() {
    uint64_t given_up = 0;
    const bool due = table_.next_deadline_ns() <= now_ns_;
    const auto question = table_.poll(now_ns_, given_up);
    ASSERT_TRUE(due || !question);
    if (!question) return;
    // Only who was asked for is asked, of the one known or of all; and never in quick succession.
    ASSERT_TRUE(asked_.contains(question->target));
    ASSERT_EQ(question->mac, table_.find(question->target).mac);
    ASSERT_GE(now_ns_ - last_question_ns_, 10'000'000u);
    last_question_ns_ = now_ns_;
    uint64_t& last = questions_[question->target];
    if (last != 0 && !heard_since(question->target)) {
      ASSERT_GE(now_ns_ - last, kSecond);
    }
    last = now_ns_;
  }

  // Whether something new was learnt since: then a new round may begin at once.
  [[nodiscard]] bool heard_since(const wire::Gid& gid) const {
    return table_.find(gid).mac.has_value() || asked_.at(gid) >= questions_.at(gid);
  }

  void check() {
    size_t taken = 0;
    std::map<wire::Gid, int> seen;
    for (const auto& entry : table_.entries()) {
      if (entry.state == NeighborState::kNone) continue;
      ++taken;
      ASSERT_EQ(++seen[entry.gid], 1);
      ASSERT_LE(entry.attempts, 3u);
      const bool asking =
          entry.state == NeighborState::kIncomplete || entry.state == NeighborState::kProbe;
      if (asking) {
        ASSERT_LE(table_.next_deadline_ns(), std::max(entry.due_ns, last_question_ns_ + kSecond));
      }
    }
    ASSERT_LE(taken, capacity_);
  }

  base::SplitMix64 random_;
  size_t capacity_;
  NeighborTable table_;
  uint64_t now_ns_ = kSecond;
  uint64_t last_question_ns_ = 0;
  std::map<wire::Gid, uint64_t> asked_;
  std::map<wire::Gid, uint64_t> questions_;
};

TEST(NeighborTableProperty, random_histories__expect_what_the_model_allows) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Model model(seed, 1 + seed % 9);
    model.run(2000);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace lambdacast::neighbor
