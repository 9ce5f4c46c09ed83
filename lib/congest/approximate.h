// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic for a switch that cannot multiply: logarithms and powers of two by tables on the ten
// leading bits, and by them products and quotients with a relative error of at most 2^-9, beside
// the unit that is rounded down. `Exact` has the same names, so that an algorithm takes either.
//
// A logarithm is fixed-point, with sixteen bits behind the point.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lambdacast::congest {

struct Exact {
  [[nodiscard]] static uint64_t product(uint64_t a, uint64_t b) { return a * b; }
  // Rounded down; `b` is not zero.
  [[nodiscard]] static uint64_t quotient(uint64_t a, uint64_t b) { return a / b; }
  // Never more than a / b.
  [[nodiscard]] static uint64_t quotient_below(uint64_t a, uint64_t b) { return a / b; }
};

class Approximate {
 public:
  static constexpr unsigned kIndexBits = 10;
  static constexpr unsigned kPoint = 16;

  // `value` is not zero.
  [[nodiscard]] static int64_t log2(uint64_t value) {
    const auto power = static_cast<unsigned>(63 - std::countl_zero(value));
    // The ten bits behind the leading one.
    const uint64_t mantissa =
        power >= kIndexBits ? value >> (power - kIndexBits) : value << (kIndexBits - power);
    return (int64_t{power} << kPoint) + tables().log[mantissa & kIndexMask];
  }
  // Two to the `exponent`, rounded down; 0 below 2^0, and the greatest number above 2^64.
  [[nodiscard]] static uint64_t exp2(int64_t exponent) {
    if (exponent < 0) return 0;
    const auto power = static_cast<unsigned>(exponent >> kPoint);
    if (power >= 64) return ~uint64_t{0};
    const auto index = static_cast<size_t>(exponent >> (kPoint - kIndexBits)) & kIndexMask;
    const uint64_t mantissa = tables().power[index];  // 1 ... 2, with kPoint bits
    return power >= kPoint ? mantissa << (power - kPoint) : mantissa >> (kPoint - power);
  }
  [[nodiscard]] static uint64_t product(uint64_t a, uint64_t b) {
    return a == 0 || b == 0 ? 0 : exp2(log2(a) + log2(b));
  }
  // `b` is not zero.
  [[nodiscard]] static uint64_t quotient(uint64_t a, uint64_t b) {
    return a == 0 ? 0 : exp2(log2(a) - log2(b));
  }
  [[nodiscard]] static uint64_t quotient_below(uint64_t a, uint64_t b) {
    const uint64_t found = quotient(a, b);
    return found - (found >> 8) - (found != 0 ? 1 : 0);
  }

 private:
  static constexpr size_t kIndexMask = (size_t{1} << kIndexBits) - 1;
  struct Tables {
    std::array<int64_t, kIndexMask + 1> log{};
    std::array<uint64_t, kIndexMask + 1> power{};
  };
  // Each entry stands for the middle of what has its index.
  [[nodiscard]] static const Tables& tables() {
    static const Tables made = [] {
      Tables tables;
      for (size_t i = 0; i <= kIndexMask; ++i) {
        const double middle = (static_cast<double>(i) + 0.5) / (kIndexMask + 1);
        tables.log[i] = std::llround(std::log2(1 + middle) * (1 << kPoint));
        tables.power[i] = static_cast<uint64_t>(std::llround(std::exp2(middle) * (1 << kPoint)));
      }
      return tables;
    }();
    return made;
  }
};

}  // namespace lambdacast::congest
