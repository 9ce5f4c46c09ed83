// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/faults.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lambdacast::fabric {
namespace faults_test {

constexpr uint64_t kFrames = 1'000'000;

FaultRates rates(double loss, double corrupt, double duplicate, uint64_t seed) {
  FaultRates rates;
  rates.loss = loss;
  rates.corrupt = corrupt;
  rates.duplicate = duplicate;
  rates.seed = seed;
  return rates;
}

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

TEST(FaultRates, any_expect_only_what_does_something) {
  EXPECT_FALSE(FaultRates().any());
  FaultRates idle;
  idle.seed = 5;
  idle.burst_loss = 0.5;
  idle.rx_buffer_bytes = 1 << 20;
  EXPECT_FALSE(idle.any());
  for (double FaultRates::*rate : {&FaultRates::loss, &FaultRates::corrupt, &FaultRates::duplicate,
                                   &FaultRates::burst_enter}) {
    FaultRates rates;
    rates.*rate = 1e-9;
    EXPECT_TRUE(rates.any());
  }
  for (uint64_t FaultRates::*value :
       {&FaultRates::delay_ns, &FaultRates::jitter_ns, &FaultRates::rx_rate_bps}) {
    FaultRates rates;
    rates.*value = 1;
    EXPECT_TRUE(rates.any());
  }
}

TEST(FaultRates, validate_bounds_expect_them_in_and_beyond_them_a_sentence) {
  const auto set = [](auto member, auto value) {
    FaultRates rates;
    rates.*member = value;
    return rates;
  };
  using R = FaultRates;
  for (const FaultRates& good :
       {R(), set(&R::loss, 1.0), set(&R::corrupt, 1.0), set(&R::duplicate, 1.0),
        set(&R::burst_enter, 0.5), set(&R::burst_leave, 1e-6), set(&R::burst_leave, 1.0),
        set(&R::burst_loss, 0.0), set(&R::delay_ns, 100'000'000u), set(&R::jitter_ns, 100'000'000u),
        set(&R::rx_rate_bps, 1'000'000u), set(&R::rx_rate_bps, 1'600'000'000'000u),
        set(&R::rx_buffer_bytes, 16'408u), set(&R::rx_buffer_bytes, 67'108'864u)}) {
    EXPECT_TRUE(validate(good)) << validate(good).error().message;
  }
  const std::tuple<FaultRates, const char*> bad[] = {
      {set(&R::loss, std::nan("")), "loss=nan is not allowed; allowed: a probability from 0 to 1"},
      {set(&R::corrupt, -0.1), "corrupt=-0.1 is not allowed; allowed: a probability from 0 to 1"},
      {set(&R::duplicate, 2.0), "duplicate=2 is not allowed; allowed: a probability from 0 to 1"},
      {set(&R::burst_enter, 0.6),
       "burst_enter=0.6 is not allowed; allowed: a probability from 0 to 0.5"},
      {set(&R::burst_leave, 0.0),
       "burst_leave=0 is not allowed; allowed: a probability from 1e-6 to 1"},
      {set(&R::burst_loss, 1.1),
       "burst_loss=1.1 is not allowed; allowed: a probability from 0 to 1"},
      {set(&R::delay_ns, 100'000'001u),
       "delay_ns=100000001 is not allowed; allowed: 0 to 100000000 ns"},
      {set(&R::jitter_ns, ~0ull),
       "jitter_ns=18446744073709551615 is not allowed; allowed: 0 to 100000000 ns"},
      {set(&R::rx_rate_bps, 999'999u),
       "rx_rate=999999 is not allowed; allowed: 0, or 1000000 to 1600000000000 bit/s"},
      {set(&R::rx_buffer_bytes, 16'407u),
       "rx_buffer=16407 is not allowed; allowed: 16408 to 67108864 bytes"},
  };
  for (const auto& [rates, sentence] : bad) {
    ASSERT_FALSE(validate(rates)) << sentence;
    EXPECT_EQ(validate(rates).error().message, sentence);
  }
}

TEST(FaultInjector, no_rates_expect_no_fault_ever) {
  FaultInjector none({}, 3);
  EXPECT_EQ(
      count([&](uint64_t i) { return none.loses(i) || none.corrupts(i) || none.duplicates(i); }),
      0u);
}

TEST(FaultInjector, probability_one_expect_every_frame) {
  FaultInjector all(rates(1, 1, 1, 9), 0);
  EXPECT_EQ(count([&](uint64_t i) { return all.loses(i) && all.corrupts(i) && all.duplicates(i); }),
            kFrames);
}

TEST(FaultInjector, rates_expect_within_statistical_bounds) {
  for (const double p : {1e-5, 1e-3, 0.1, 0.5, 0.99}) {
    FaultInjector faults(rates(p, p, p, 42), 5);
    expect_rate(count([&](uint64_t i) { return faults.loses(i); }), p);
    expect_rate(count([&](uint64_t i) { return faults.corrupts(i); }), p);
    expect_rate(count([&](uint64_t i) { return faults.duplicates(i); }), p);
  }
}

TEST(FaultInjector, kinds_of_fault_expect_independent_of_each_other) {
  FaultInjector faults(rates(0.1, 0.1, 0.1, 7), 5);
  expect_rate(count([&](uint64_t i) { return faults.loses(i) && faults.corrupts(i); }), 0.01);
  expect_rate(count([&](uint64_t i) { return faults.loses(i) && faults.duplicates(i); }), 0.01);
  expect_rate(count([&](uint64_t i) { return faults.loses(i) && faults.loses(i + 1); }), 0.01);
}

TEST(FaultInjector, same_seed_asked_in_any_order_expect_the_same_frames) {
  FaultInjector one(rates(0.3, 0, 0, 11), 2);
  FaultInjector other(rates(0.3, 0, 0, 11), 2);
  std::vector<bool> forwards, backwards(1000);
  for (uint64_t i = 0; i < 1000; ++i) forwards.push_back(one.loses(i));
  for (uint64_t i = 1000; i-- > 0;) backwards[i] = other.loses(i);
  EXPECT_EQ(forwards, backwards);
}

TEST(FaultInjector, other_seed_or_wavelength_expect_independent_frames) {
  FaultInjector base(rates(0.1, 0, 0, 1), 0);
  FaultInjector seed(rates(0.1, 0, 0, 2), 0);
  FaultInjector wavelength(rates(0.1, 0, 0, 1), 1);
  expect_rate(count([&](uint64_t i) { return base.loses(i) && seed.loses(i); }), 0.01);
  expect_rate(count([&](uint64_t i) { return base.loses(i) && wavelength.loses(i); }), 0.01);
}

TEST(FaultInjector, corrupt_expect_one_bit_the_same_each_time_anywhere_in_the_frame) {
  FaultInjector faults(rates(0, 1, 0, 3), 0);
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

TEST(FaultInjector, bursts_expect_loss_by_the_rate_of_each_state) {
  FaultRates rates;
  rates.seed = 4;
  rates.loss = 0.01;
  rates.burst_enter = 0.02;
  rates.burst_leave = 0.2;
  rates.burst_loss = 0.5;
  FaultInjector faults(rates, 1);
  // A share of 1/11 of the frames is in the bad state. Losses of one burst come together, so that
  // their number varies more than a binomial: by at most the mean burst, 1/leave.
  const double p = 0.01 * 10 / 11 + 0.5 / 11;
  const double mean = static_cast<double>(kFrames) * p;
  EXPECT_NEAR(static_cast<double>(count([&](uint64_t i) { return faults.loses(i); })), mean,
              5 * std::sqrt(mean * 2 / 0.2));
}

TEST(FaultInjector, jitter_expect_all_of_its_range_and_nothing_beyond) {
  FaultRates rates;
  rates.jitter_ns = 3;
  const FaultInjector faults(rates, 1);
  uint64_t seen[4] = {};
  for (uint64_t i = 0; i < 4000; ++i) ++seen[faults.jitter_ns(i)];
  for (const uint64_t times : seen) EXPECT_NEAR(static_cast<double>(times), 1000, 150);
  EXPECT_EQ(FaultInjector().jitter_ns(5), 0u);
}

TEST(FaultInjector, corrupt_one_byte_expect_inside) {
  FaultInjector faults(rates(0, 1, 0, 3), 0);
  uint8_t frame[3] = {};
  for (uint64_t index = 0; index < 100; ++index) faults.corrupt(index, frame + 1, 1);
  EXPECT_EQ(frame[0], 0);
  EXPECT_EQ(frame[2], 0);
}

}  // namespace faults_test
}  // namespace lambdacast::fabric
