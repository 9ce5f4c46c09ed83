// SPDX-License-Identifier: BSD-3-Clause
// PSN arithmetic against models that keep the whole 64-bit sequence and never wrap.
#include "wire/roce/psn.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace lambdacast::wire {
namespace {

constexpr int kSteps = 200'000;

// The nearest of the three candidates whose low 24 bits are `psn`; empty if two are equally near.
std::optional<uint64_t> model_extend(uint64_t reference, uint32_t psn) {
  const auto wide = static_cast<__int128>(reference);
  const __int128 base = (wide & ~__int128{kPsnMask}) + psn;
  std::optional<__int128> best;
  bool tie = false;
  for (const __int128 candidate : {base - 0x1000000, base, base + 0x1000000}) {
    const auto distance = [wide](__int128 c) { return c > wide ? c - wide : wide - c; };
    if (best && distance(candidate) > distance(*best)) continue;
    tie = best && distance(candidate) == distance(*best);
    best = candidate;
  }
  if (tie || *best < 0 || *best > static_cast<__int128>(~uint64_t{0})) return std::nullopt;
  return static_cast<uint64_t>(*best);
}

TEST(PsnProperty, ExtendEqualsTheModelAnywhere) {
  base::SplitMix64 random(1);
  for (int i = 0; i < kSteps; ++i) {
    // Small, large and middling references, many of them near a wrap or an end of the range.
    uint64_t reference = random() >> random.below(64);
    if (random.below(4) == 0) reference = (reference & ~uint64_t{kPsnMask}) + random.below(4);
    if (random.below(8) == 0) reference = ~reference;
    auto psn = static_cast<uint32_t>(random() & kPsnMask);
    if (random.below(4) == 0) psn = static_cast<uint32_t>((reference + kPsnHalfRange) & kPsnMask);
    ASSERT_EQ(extend_psn(reference, psn), model_extend(reference, psn)) << reference << ' ' << psn;
  }
}

TEST(PsnProperty, ARandomWalkIsFollowedThroughManyWraps) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    base::SplitMix64 random(seed);
    uint64_t truth = random.below(1 << 24);
    uint64_t highest = truth;
    for (int i = 0; i < kSteps; ++i) {
      // Up to 2^15 ahead of the last frame, now and then a straggler behind the highest one.
      const bool straggler = random.below(8) == 0 && highest > (1 << 16);
      truth = straggler ? highest - random.below(1 << 16) : highest + 1 + random.below(1 << 15);
      const auto extended = extend_psn(highest, static_cast<uint32_t>(truth & kPsnMask));
      ASSERT_EQ(extended, truth) << "seed " << seed << " step " << i;
      highest = std::max(highest, truth);
    }
    EXPECT_GT(highest, uint64_t{100} << 24) << "the walk wrapped a hundred times at least";
  }
}

TEST(PsnProperty, OrderIsAntisymmetricAndShiftInvariant) {
  const auto mirrored = [](PsnOrder order) {
    if (order == PsnOrder::kEarlier) return PsnOrder::kLater;
    if (order == PsnOrder::kLater) return PsnOrder::kEarlier;
    return order;
  };
  base::SplitMix64 random(2);
  for (int i = 0; i < kSteps; ++i) {
    const auto a = static_cast<uint32_t>(random() & kPsnMask);
    const auto step = static_cast<uint32_t>(random() >> random.below(64));
    const uint32_t b = i % 16 == 0 ? a ^ kPsnHalfRange : (a + step) & kPsnMask;
    const auto shift = static_cast<uint32_t>(random());
    ASSERT_EQ(psn_order(a, b), mirrored(psn_order(b, a)));
    ASSERT_EQ(psn_order(a, b), psn_order(a + shift, b + shift));
    const auto distance = psn_distance(a, b);
    ASSERT_EQ(distance.has_value(), ((a - b) & kPsnMask) != kPsnHalfRange);
    ASSERT_EQ((a + static_cast<uint32_t>(distance.value_or(kPsnHalfRange))) & kPsnMask, b);
  }
}

}  // namespace
}  // namespace lambdacast::wire
