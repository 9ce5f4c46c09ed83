// SPDX-License-Identifier: BSD-3-Clause
// Receivers against the same sums made anew each time, over random joins, statuses and departures.

#include "reliability/receivers.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace lambdacast::reliability {
namespace {

struct Place {
  uint64_t contiguous;
  uint64_t room;
};

TEST(ReceiversProperty, join_progress_and_leave__expect_the_slowest_of_those_admitted) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    base::SplitMix64 random(seed);
    const size_t peers = 1 + random.below(140);
    const uint64_t starts[] = {1'000, uint64_t{1} << 32, uint64_t{1} << 63};
    const uint64_t start = starts[random.below(3)] - random.below(500);
    Receivers receivers(peers, 1'000);
    std::map<size_t, Place> model;
    for (int i = 0; i < 2'000; ++i) {
      const size_t peer = random.below(peers);
      const Place place{start + random.below(1'000), random.below(300)};
      const uint64_t what = random.below(10);
      if (what == 0) {
        receivers.remove(peer);
        model.erase(peer);
      } else if (what == 1 || !model.contains(peer)) {
        receivers.admit(peer, place.contiguous, place.room);
        model[peer] = place;
      } else {
        receivers.progress(peer, place.contiguous, place.room);
        if (place.contiguous >= model[peer].contiguous) model[peer] = place;
      }
      const uint64_t last_sent = start + 2'000;
      uint64_t stable = model.empty() ? last_sent : ~uint64_t{0};
      uint64_t limit = ~uint64_t{0};
      base::NodeSet admitted;
      for (const auto& [which, at] : model) {
        stable = std::min(stable, at.contiguous);
        limit = std::min(limit, at.contiguous + at.room);
        if (which < base::NodeSet::kCapacity) admitted.add(which);
      }
      ASSERT_EQ(receivers.stable(last_sent), stable) << seed;
      ASSERT_EQ(receivers.limit(), limit) << seed;
      ASSERT_EQ(receivers.admitted_set(), admitted) << seed;
      ASSERT_EQ(receivers.admitted(), model.size()) << seed;
      if (model.empty()) {
        ASSERT_EQ(receivers.slowest(), peers);
      } else {
        const Place& slowest = model.at(receivers.slowest());
        ASSERT_EQ(slowest.contiguous + slowest.room, limit);
      }
    }
  }
}

}  // namespace
}  // namespace lambdacast::reliability
