// SPDX-License-Identifier: BSD-3-Clause
// Faults against what theory says of them and against models that are too plain to be wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "fabric/burst_loss.h"
#include "fabric/rate_queue.h"

namespace lambdacast::fabric {
namespace {

// Seeds are fixed: a bound of five standard deviations holds always or never.
constexpr double kDeviations = 5;

struct Channel {
  double enter;
  double leave;
};

class BurstStatistics : public ::testing::TestWithParam<Channel> {};

// A two-state Markov chain has a share of bad frames of enter / (enter + leave), bursts of a
// geometric length of mean 1 / leave, and states k frames apart correlated by (1 - enter -
// leave)^k.
TEST_P(BurstStatistics, a_long_run_expect_share_length_and_correlation_of_the_chain) {
  const auto [enter, leave] = GetParam();
  constexpr uint64_t kFrames = 4'000'000;
  BurstChain chain(enter, leave, base::mix64(77));
  uint64_t bad = 0, bursts = 0, both = 0;
  bool before = false;
  for (uint64_t i = 0; i < kFrames; ++i) {
    const bool now = chain.bad(i);
    bad += now;
    bursts += now && !before;
    both += now && before;
    before = now;
  }
  const auto frames = static_cast<double>(kFrames);
  const double share = enter / (enter + leave);
  const double memory = 1 - enter - leave;
  // The variance of a correlated count: that of independent frames times (1 + memory)/(1 - memory).
  const double spread =
      std::sqrt(frames * share * (1 - share) * (1 + memory) / (1 - memory)) * kDeviations;
  EXPECT_NEAR(static_cast<double>(bad), frames * share, spread + 1);

  const double mean = static_cast<double>(bad) / static_cast<double>(bursts);
  const double of_mean = std::sqrt(1 - leave) / leave / std::sqrt(static_cast<double>(bursts));
  EXPECT_NEAR(mean, 1 / leave, of_mean * kDeviations + 1e-9);

  // Of bad frames, a share of 1 - leave is followed by another.
  const double stay = static_cast<double>(both) / static_cast<double>(bad);
  const double of_stay = std::sqrt(leave * (1 - leave) / static_cast<double>(bad));
  EXPECT_NEAR(stay, 1 - leave, of_stay * kDeviations + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Channels, BurstStatistics,
                         ::testing::Values(Channel{0.001, 0.1}, Channel{0.01, 0.5},
                                           Channel{0.1, 0.01}, Channel{0.5, 0.5}, Channel{0.3, 0.9},
                                           Channel{0.05, 1.0}));

// The chain run from the first frame on, with the draws that the class makes: its states are those.
TEST(BurstChainModel, random_channels_expect_the_states_of_a_chain_run_from_the_beginning) {
  base::SplitMix64 random(5);
  for (int round = 0; round < 200; ++round) {
    const double enter = static_cast<double>(random.below(500)) / 1000;
    const double leave = static_cast<double>(1 + random.below(1000)) / 1000;
    const uint64_t key = random();
    BurstChain chain(enter, leave, key);
    bool state = false;
    for (uint64_t i = 0; i < 300; ++i) {
      const double draw = static_cast<double>(base::mix64(key + i)) / 18446744073709551616.0;
      state = state ? draw < 1 - leave : draw < enter;
      // Asked of few frames only, so that it has to look back.
      if (random.below(7) != 0) continue;
      ASSERT_EQ(chain.bad(i), state) << enter << ' ' << leave << ' ' << i;
    }
  }
}

// The plain model: when the last bit of each frame is out, as a fraction of `rate` parts of a tick.
class PlainQueue {
 public:
  PlainQueue(uint64_t rate, uint64_t depth_bytes, uint64_t hz)
      : rate_(rate), hz_(hz), depth_(Wide{depth_bytes} * 8 * hz) {}

  bool offer(uint64_t now, uint32_t bytes) {
    const Wide start = std::max(Wide{now} * rate_, out_);
    const Wide out = start + Wide{std::max(bytes, 60u) + 24} * 8 * hz_;
    if (out - Wide{now} * rate_ > depth_) return false;
    out_ = out;
    return true;
  }
  [[nodiscard]] uint64_t departure() const {
    return static_cast<uint64_t>((out_ + rate_ - 1) / rate_);
  }

 private:
  using Wide = unsigned __int128;
  Wide rate_, hz_, depth_;
  Wide out_ = 0;
};

TEST(RateQueueModel, random_frames_at_random_times_expect_every_decision_and_departure_the_same) {
  base::SplitMix64 random(9);
  for (int round = 0; round < 300; ++round) {
    const uint64_t hz = 1'000'000'000 + random.below(4'000'000'000);
    const uint64_t rate = kMinRateBps + random.below(round % 2 == 0 ? 10'000'000'000 : kMaxRateBps);
    const uint64_t depth = 100 + random.below(round % 3 == 0 ? kMaxQueueBytes : 100'000);
    RateQueue queue(rate, depth, hz);
    PlainQueue plain(rate, depth, hz);
    const uint64_t step = 1 + 2 * 1000 * 8 * hz / rate;  // about as fast as the line, on average
    uint64_t now = random.below(uint64_t{1} << 50);
    for (int i = 0; i < 500; ++i) {
      if (random.below(3) != 0) now += random.below(step * (random.below(50) == 0 ? 100 : 1));
      const auto bytes = static_cast<uint32_t>(random.below(2000));
      const bool fits = plain.offer(now, bytes);
      ASSERT_EQ(queue.offer(now, bytes), fits) << "round " << round << ", frame " << i;
      if (!fits) continue;
      ASSERT_EQ(queue.departure(), plain.departure());
    }
  }
}

// No rounding adds up: of a line that always has something to send, every bit is sent.
TEST(RateQueueModel, offered_more_than_the_line_carries_expect_the_rate_to_within_a_frame) {
  base::SplitMix64 random(11);
  for (int round = 0; round < 20; ++round) {
    const uint64_t hz = 2'000'000'000 + random.below(1'000'000'000);
    const uint64_t rate = 1'000'000'000 + random.below(100'000'000'000);
    constexpr uint64_t kDepth = 10'000;
    RateQueue queue(rate, kDepth, hz);
    uint64_t now = uint64_t{1} << 40;
    const uint64_t start = now;
    unsigned __int128 bits = 0;
    const uint64_t step = 500 * 8 * hz / rate;
    for (int i = 0; i < 20'000; ++i) {
      while (queue.offer(now, 1000)) bits += 1024 * 8;
      now += step;
    }
    const unsigned __int128 carried =
        static_cast<unsigned __int128>(now - step - start) * rate / hz;
    EXPECT_LE(bits, carried + kDepth * 8);
    EXPECT_GE(bits + 1024 * 8, carried + kDepth * 8);
  }
}

}  // namespace
}  // namespace lambdacast::fabric
