// SPDX-License-Identifier: BSD-3-Clause
// ReceiveWindow against a map of positions, over random arrivals, losses and hand-overs.

#include "reliability/receive_window.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "base/random.h"

namespace lambdacast::reliability {
namespace receive_window_test {

// What was handed on: a packet (count 0), or a gap.
using HandedOn = std::tuple<uint64_t, uint64_t, PacketHandle, LossReason>;

struct Sink {
  void deliver(uint64_t position, PacketHandle packet) {
    handed_on.emplace_back(position, 0, packet, LossReason::kNone);
  }
  bool gap(uint64_t first, uint64_t count, LossReason reason) {
    if (refuse) return false;
    handed_on.emplace_back(first, count, PacketHandle::kNone, reason);
    return true;
  }
  bool refuse = false;
  std::vector<HandedOn> handed_on;
};

// The same rules in the words of the header, a position at a time.
class Model {
 public:
  explicit Model(uint64_t window) : window_(window) {}
  void open(uint64_t first) { first_ = deliver_ = end_ = first; }

  ReceiveWindow::Outcome place(uint64_t position, bool ordered, PacketHandle packet, bool budget) {
    if (position < first_) return {Placed::kTooOld};
    if (position < deliver_ || known_.contains(position)) return {Placed::kDuplicate};
    if (position >= deliver_ + window_) return {Placed::kTooNew};
    const bool at_once = !ordered || position == deliver_;
    if (!at_once && !budget) return {Placed::kSlowConsumer};
    const Placed placed = position < end_    ? Placed::kInserted
                          : position == end_ ? Placed::kAppended
                                             : Placed::kGap;
    end_ = std::max(end_, position + 1);
    if (position == deliver_) {
      ++deliver_;
    } else {
      known_[position] = {at_once ? PacketHandle::kNone : packet, LossReason::kNone};
    }
    return {placed, at_once};
  }
  uint64_t reveal(uint64_t position) {
    const uint64_t from = end_;
    end_ = std::max(end_, std::min(position + 1, deliver_ + window_));
    return from;
  }
  void declare_lost_before(uint64_t position, LossReason reason) {
    for (uint64_t at = deliver_; at < std::min(position, end_); ++at) declare_one_lost(at, reason);
  }
  void declare_one_lost(uint64_t position, LossReason reason) {
    if (missing(position)) known_[position] = {PacketHandle::kNone, reason};
  }
  uint32_t drain(uint32_t most, Sink& sink) {
    uint32_t done = 0;
    while (done < most) {
      const auto at = known_.find(deliver_);
      if (at == known_.end()) break;
      const auto [packet, reason] = at->second;
      if (reason != LossReason::kNone) {
        uint64_t end = deliver_;
        while (known_.contains(end) && known_[end].reason == reason) ++end;
        if (!sink.gap(deliver_, end - deliver_, reason)) break;
        ++done;
        for (; deliver_ < end; ++deliver_) known_.erase(deliver_);
        continue;
      }
      if (packet != PacketHandle::kNone) {
        sink.deliver(deliver_, packet);
        ++done;
      }
      known_.erase(deliver_++);
    }
    return done;
  }

  [[nodiscard]] bool missing(uint64_t position) const {
    return position >= deliver_ && position < end_ && !known_.contains(position);
  }
  [[nodiscard]] std::vector<uint64_t> all_missing(uint64_t from) const {
    std::vector<uint64_t> out;
    for (uint64_t at = std::max(from, deliver_); at < end_; ++at) {
      if (missing(at)) out.push_back(at);
    }
    return out;
  }
  [[nodiscard]] uint64_t next() const {
    uint64_t at = deliver_;
    while (known_.contains(at)) ++at;
    return at;
  }
  [[nodiscard]] uint64_t deliver() const { return deliver_; }
  [[nodiscard]] uint64_t end() const { return end_; }
  [[nodiscard]] std::vector<PacketHandle> kept() const {
    std::vector<PacketHandle> out;
    for (const auto& [position, what] : known_) {
      if (what.packet != PacketHandle::kNone) out.push_back(what.packet);
    }
    return out;
  }

 private:
  struct Known {
    PacketHandle packet;
    LossReason reason;
  };
  uint64_t window_;
  uint64_t first_ = 0;
  uint64_t deliver_ = 0;
  uint64_t end_ = 0;
  std::map<uint64_t, Known> known_;  // from deliver_ on
};

uint64_t start_of(base::SplitMix64& random) {
  const uint64_t starts[] = {1'000, uint64_t{1} << 24, uint64_t{1} << 32, uint64_t{1} << 63};
  return starts[random.below(4)] - random.below(1'000);
}

class Trial {
 public:
  Trial(uint64_t seed, uint32_t positions)
      : random_(seed), positions_(positions), window_(positions), model_(positions) {
    const uint64_t first = start_of(random_);
    window_.open(first);
    model_.open(first);
  }

  void step() {
    switch (random_.below(16)) {
      case 0:
        return reveal();
      case 1:
        return declare();
      case 2:
      case 3:
      case 4:
        return drain();
      default:
        return place();
    }
  }
  void compare() {
    ASSERT_EQ(window_.deliver(), model_.deliver());
    ASSERT_EQ(window_.next(), model_.next());
    ASSERT_EQ(window_.end(), model_.end());
    ASSERT_EQ(window_.kept(), model_.kept().size());
    ASSERT_EQ(window_.room(), model_.deliver() + positions_ - model_.next());
    ASSERT_EQ(window_.backlog(), model_.deliver() != model_.next());
    ASSERT_EQ(window_.complete(), model_.all_missing(0).empty());
    std::vector<uint64_t> visited;
    const uint64_t from = window_.deliver() + random_.below(positions_);
    window_.for_each_missing(from, [&](uint64_t at) {
      visited.push_back(at);
      return true;
    });
    ASSERT_EQ(visited, model_.all_missing(from));
  }
  void finish() {
    std::vector<PacketHandle> discarded;
    window_.clear([&](PacketHandle packet) { discarded.push_back(packet); });
    EXPECT_EQ(discarded, model_.kept());
    EXPECT_EQ(window_.kept(), 0u);
  }
  [[nodiscard]] uint64_t moved() const { return handed_on_; }

 private:
  void place() {
    // Mostly the next or a missing one; else around the window, its ends included.
    uint64_t position = model_.end();
    if (const auto missing = model_.all_missing(0); !missing.empty() && random_.below(3) == 0) {
      position = missing[random_.below(missing.size())];
    } else if (random_.below(3) == 0) {
      position += random_.below(4);
    } else if (random_.below(8) == 0) {
      position = model_.deliver() - 3 + random_.below(positions_ + 6);
    }
    const bool ordered = random_.below(3) != 0;
    const bool budget = random_.below(8) != 0;
    const auto packet = static_cast<PacketHandle>(++packets_);
    const auto expected = model_.place(position, ordered, packet, budget);
    const auto outcome = window_.place(position, ordered, packet, budget);
    ASSERT_EQ(outcome.placed, expected.placed) << position;
    ASSERT_EQ(outcome.deliver, expected.deliver) << position;
  }
  void reveal() {
    const uint64_t position = model_.end() - 2 + random_.below(random_.below(4) == 0 ? 2'000 : 8);
    ASSERT_EQ(window_.reveal(position), model_.reveal(position));
  }
  void declare() {
    const auto reason = static_cast<LossReason>(1 + random_.below(kLossReasons - 1));
    const uint64_t position = model_.deliver() - 2 + random_.below(20);
    if (random_.below(2) == 0) {
      window_.declare_one_lost(position, reason);
      model_.declare_one_lost(position, reason);
    } else {
      window_.declare_lost_before(position, reason);
      model_.declare_lost_before(position, reason);
    }
  }
  void drain() {
    Sink sink, expected;
    sink.refuse = expected.refuse = random_.below(4) == 0;
    const auto most = static_cast<uint32_t>(1 + random_.below(10));
    const uint32_t drained = window_.drain(most, sink);
    ASSERT_EQ(drained, model_.drain(most, expected));
    ASSERT_EQ(sink.handed_on, expected.handed_on);
    handed_on_ += drained;
  }

  base::SplitMix64 random_;
  uint32_t positions_;
  ReceiveWindow window_;
  Model model_;
  uint64_t packets_ = 0;
  uint64_t handed_on_ = 0;
};

TEST(ReceiveWindowProperty, anything_in_any_order__expect_what_a_map_of_positions_says) {
  uint64_t moved = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const uint32_t positions = 64u << (seed % 5);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Trial trial(seed, positions);
    for (int i = 0; i < 3'000; ++i) {
      ASSERT_NO_FATAL_FAILURE(trial.step());
      ASSERT_NO_FATAL_FAILURE(trial.compare());
    }
    trial.finish();
    moved += trial.moved();
  }
  EXPECT_GT(moved, 5'000u);  // the trial reaches what it is for
}

}  // namespace receive_window_test
}  // namespace lambdacast::reliability
