// SPDX-License-Identifier: BSD-3-Clause
// SequenceTracker against a set of the sequences received, over random arrivals.

#include "reliability/sequence_tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"

namespace lambdacast::reliability {
namespace {

constexpr uint64_t kWindow = SequenceTracker::kWindow;

// The same rules in the words of the header, with all of history at hand.
class Model {
 public:
  Verdict accept(uint64_t sequence) {
    if (!started_) {
      started_ = true;
      first_ = highest_ = sequence;
      received_.insert(sequence);
      return Verdict::kFirst;
    }
    if (sequence + kWindow <= highest_) {
      ++counters_.too_old;
      return Verdict::kTooOld;
    }
    if (!received_.insert(sequence).second) {
      ++counters_.duplicates;
      return Verdict::kDuplicate;
    }
    if (sequence <= highest_) {  // equal: finish() announced it before it came
      ++counters_.late;
      first_ = std::min(first_, sequence);
      return Verdict::kLate;
    }
    const bool in_order = sequence == highest_ + 1;
    counters_.gaps += in_order ? 0 : 1;
    highest_ = sequence;
    return in_order ? Verdict::kInOrder : Verdict::kGap;
  }

  void finish(uint64_t last) {
    if (!started_ || last <= highest_) return;
    ++counters_.gaps;
    highest_ = last;
  }

  void begin(uint64_t first) { first_ = std::min(first_, first); }

  [[nodiscard]] SequenceCounters counters() const {
    SequenceCounters counters = counters_;
    counters.received = received_.size();
    counters.missing = started_ ? highest_ - first_ + 1 - received_.size() : 0;
    return counters;
  }
  [[nodiscard]] uint64_t highest() const { return highest_; }
  [[nodiscard]] uint64_t first() const { return first_; }

 private:
  bool started_ = false;
  uint64_t first_ = 0;
  uint64_t highest_ = 0;
  std::set<uint64_t> received_;
  SequenceCounters counters_;
};

uint64_t start_of(base::SplitMix64& random) {
  const uint64_t starts[] = {5000, uint64_t{1} << 24, uint64_t{1} << 32, uint64_t{1} << 63};
  return starts[random.below(4)] - random.below(3000);
}

// Mostly in order; else a gap (short, around the window, or far), an old one or a repeat.
uint64_t next_sequence(base::SplitMix64& random, uint64_t highest, uint64_t lowest) {
  switch (random.below(16)) {
    case 0:
      return highest + 2 + random.below(5);
    case 1:
      return highest + 1 + random.below(200);
    case 2:
      return random.below(20) == 0 ? highest + kWindow - 2 + random.below(4) : highest + 1;
    case 3:
      return random.below(40) == 0 ? highest + random.below(10 * kWindow) : highest + 1;
    case 4:
    case 5:
      return std::max(lowest, highest - std::min(highest, random.below(64)));
    case 6:
      return std::max(lowest, highest - std::min(highest, random.below(kWindow + 100)));
    case 7:  // at the very edge
      return std::max(lowest, highest - std::min(highest, kWindow - 2 + random.below(4)));
    default:
      return highest + 1;
  }
}

TEST(SequenceTrackerProperty, random_arrivals__expect_what_a_set_says) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    base::SplitMix64 random(seed);
    SequenceTracker tracker;
    Model model;
    const uint64_t start = start_of(random);
    uint64_t sequence = start;
    for (int step = 0; step < 2000; ++step) {
      ASSERT_EQ(tracker.accept(sequence).verdict, model.accept(sequence))
          << "seed " << seed << " step " << step << " sequence " << sequence;
      if (random.below(400) == 0) {
        const uint64_t last = model.highest() + random.below(2 * kWindow);
        tracker.finish(last);
        model.finish(last);
      }
      ASSERT_EQ(tracker.counters(), model.counters()) << "seed " << seed << " step " << step;
      ASSERT_EQ(tracker.highest(), model.highest());
      ASSERT_EQ(tracker.first(), model.first());
      sequence = next_sequence(random, model.highest(), start > 1000 ? start - 1000 : 0);
    }
    const uint64_t first = model.first() - std::min<uint64_t>(model.first(), random.below(50));
    tracker.begin(first);
    model.begin(first);
    ASSERT_EQ(tracker.counters(), model.counters()) << "seed " << seed;
  }
}

// Whatever the order and repetition of arrival, what was not lost is received exactly once.
TEST(SequenceTrackerProperty, shuffled_within_the_window__expect_received_to_be_what_arrived) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::SplitMix64 random(seed);
    const uint64_t start = start_of(random);
    std::vector<uint64_t> arrivals;
    std::set<uint64_t> distinct;
    for (uint64_t i = 0; i < kWindow; ++i) {
      if (random.below(5) == 0) continue;
      for (uint64_t copies = 1 + random.below(2); copies > 0; --copies) {
        arrivals.push_back(start + i);
      }
      distinct.insert(start + i);
    }
    std::shuffle(arrivals.begin(), arrivals.end(), random);
    SequenceTracker tracker;
    for (const uint64_t sequence : arrivals) (void)tracker.accept(sequence);
    tracker.begin(start);
    tracker.finish(start + kWindow - 1);
    ASSERT_EQ(tracker.received(), distinct.size());
    ASSERT_EQ(tracker.missing(), kWindow - distinct.size());
    ASSERT_EQ(tracker.counters().duplicates, arrivals.size() - distinct.size());
    ASSERT_EQ(tracker.counters().too_old, 0u);
  }
}

}  // namespace
}  // namespace lambdacast::reliability
