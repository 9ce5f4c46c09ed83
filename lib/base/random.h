// SPDX-License-Identifier: BSD-3-Clause
// Randomness that is passed in, never hidden. `mix64` is the finaliser of SplitMix64 (Steele, Lea,
// Flood, "Fast splittable pseudorandom number generators", 2014): a stateless hash whose outputs
// over consecutive inputs pass statistical tests, so a decision can depend on (seed, index) alone.
#pragma once

#include <cstdint>

namespace lambdacast::base {

[[nodiscard]] inline constexpr uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A probability in [0, 1] as a threshold t such that P(mix64(..) < t) = p; 1 maps to "always".
class Chance {
 public:
  constexpr Chance() = default;
  explicit constexpr Chance(double p)
      : always_(p >= 1.0),
        threshold_(p <= 0.0 || p >= 1.0 ? 0 : static_cast<uint64_t>(p * 18446744073709551616.0)) {}
  [[nodiscard]] constexpr bool hit(uint64_t random) const { return always_ || random < threshold_; }
  [[nodiscard]] constexpr bool possible() const { return always_ || threshold_ != 0; }

 private:
  bool always_ = false;
  uint64_t threshold_ = 0;
};

// SplitMix64 as a generator: 64 bits of state, equal seeds give equal sequences.
class SplitMix64 {
 public:
  using result_type = uint64_t;
  explicit constexpr SplitMix64(uint64_t seed) : state_(seed) {}
  constexpr uint64_t operator()() {
    const uint64_t value = mix64(state_);
    state_ += 0x9e3779b97f4a7c15u;
    return value;
  }
  // Uniform in [0, bound); bound > 0. The bias (below bound / 2^64) is of no consequence here.
  constexpr uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>((*this)()) * bound) >> 64);
  }
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return ~uint64_t{0}; }

 private:
  uint64_t state_;
};

}  // namespace lambdacast::base
