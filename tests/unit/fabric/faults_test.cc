#include "fabric/faults.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lambdacast::fabric {
namespace {

constexpr uint64_t kFrames = 1'000'000;

template <typename Decide>
uint64_t count(Decide decide) {
  uint64_t hits = 0;
  for (uint64_t i = 0; i < kFrames; ++i) hits += decide(i);
  return hits;
}

// Five standard deviations of a binomial count: one false alarm in 1.7 million runs, and the seeds
// are fixed, so either always or never.
void expect_rate(uint64_t hits, double p) {
  const double mean = static_cast<double>(kFrames) * p;
  EXPECT_NEAR(static_cast<double>(hits), mean, 5 * std::sqrt(mean * (1 - p)) + 1) << p;
}

TEST(FaultInjector, no_rates_expect_inactive_and_no_fault_ever) {
  const FaultInjector none({}, 3);
  EXPECT_FALSE(FaultInjector().active());
  EXPECT_FALSE(none.active());
  EXPECT_EQ(count([&](uint64_t i) {
              return none.loses(i) || none.corrupts(i) || none.duplicates(i);
            }),
            0u);
}

TEST(FaultInjector, probability_one_expect_every_frame) {
  const FaultInjector all({1, 1, 1, 9}, 0);
  EXPECT_TRUE(all.active());
  EXPECT_EQ(count([&](uint64_t i) {
              return all.loses(i) && all.corrupts(i) && all.duplicates(i);
            }),
            kFrames);
}

TEST(FaultInjector, rates_expect_within_statistical_bounds) {
  for (const double p : {1e-5, 1e-3, 0.1, 0.5, 0.99}) {
    const FaultInjector faults({p, p, p, 42}, 5);
    expect_rate(count([&](uint64_t i) { return faults.loses(i); }), p);
    expect_rate(count([&](uint64_t i) { return faults.corrupts(i); }), p);
    expect_rate(count([&](uint64_t i) { return faults.duplicates(i); }), p);
  }
}

TEST(FaultInjector, kinds_of_fault_expect_independent_of_each_other) {
  const FaultInjector faults({0.1, 0.1, 0.1, 7}, 5);
  expect_rate(count([&](uint64_t i) { return faults.loses(i) && faults.corrupts(i); }), 0.01);
  expect_rate(count([&](uint64_t i) { return faults.loses(i) && faults.duplicates(i); }), 0.01);
  expect_rate(count([&](uint64_t i) { return faults.loses(i) && faults.loses(i + 1); }), 0.01);
}

TEST(FaultInjector, same_seed_asked_in_any_order_expect_the_same_frames) {
  const FaultInjector one({0.3, 0, 0, 11}, 2);
  const FaultInjector other({0.3, 0, 0, 11}, 2);
  std::vector<bool> forwards, backwards(1000);
  for (uint64_t i = 0; i < 1000; ++i) forwards.push_back(one.loses(i));
  for (uint64_t i = 1000; i-- > 0;) backwards[i] = other.loses(i);
  EXPECT_EQ(forwards, backwards);
}

TEST(FaultInjector, other_seed_or_wavelength_expect_independent_frames) {
  const FaultInjector base({0.1, 0, 0, 1}, 0);
  const FaultInjector seed({0.1, 0, 0, 2}, 0);
  const FaultInjector wavelength({0.1, 0, 0, 1}, 1);
  expect_rate(count([&](uint64_t i) { return base.loses(i) && seed.loses(i); }), 0.01);
  expect_rate(count([&](uint64_t i) { return base.loses(i) && wavelength.loses(i); }), 0.01);
}

TEST(FaultInjector, corrupt_expect_one_bit_the_same_each_time_anywhere_in_the_frame) {
  const FaultInjector faults({0, 1, 0, 3}, 0);
  std::vector<uint64_t> flips(64 * 8);
  for (uint64_t index = 0; index < 20'000; ++index) {
    std::vector<uint8_t> frame(64), again(64);
    faults.corrupt(index, frame.data(), frame.size());
    faults.corrupt(index, again.data(), again.size());
    ASSERT_EQ(frame, again);
    uint64_t set = 0;
    for (std::size_t bit = 0; bit < flips.size(); ++bit) {
      if ((frame[bit / 8] >> (bit % 8)) & 1) {
        ++flips[bit];
        ++set;
      }
    }
    ASSERT_EQ(set, 1u);
  }
  for (const uint64_t times : flips) EXPECT_GT(times, 5u);  // 39 each, on average
}

TEST(FaultInjector, corrupt_one_byte_expect_inside) {
  const FaultInjector faults({0, 1, 0, 3}, 0);
  uint8_t frame[3] = {};
  for (uint64_t index = 0; index < 100; ++index) faults.corrupt(index, frame + 1, 1);
  EXPECT_EQ(frame[0], 0);
  EXPECT_EQ(frame[2], 0);
}

}  // namespace
}  // namespace lambdacast::fabric
