// SPDX-License-Identifier: BSD-3-Clause
// Max-min fair shares by progressive filling: all transmitters rise together; one stops at its own
// cap, or when a receiver that hears it is full (FastCast 2013, 3.5, whose rule for equal
// capacities this generalises; QSM 2008, 5.3, shares receive rates so).
//
// Integers and floors alone, and no order of iteration that matters: whoever has the same numbers
// computes the same shares. Allocates nothing. Rates are bits a second on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/node_set.h"

namespace lambdacast::rate_control {

inline constexpr uint64_t kUnlimitedBps = ~uint64_t{0};

// Transmitters and receivers are numbered on their own, each below NodeSet::kCapacity.
struct FillInput {
  std::span<const uint64_t> cap;   // by transmitter: what it takes at most
  std::span<const uint64_t> room;  // by receiver: what it takes in all; kUnlimitedBps: anything
  std::span<const base::NodeSet> hears;  // by receiver: the transmitters that it hears
};

struct FilledShare {
  static constexpr uint16_t kByCap = 0xffff;

  uint64_t bps = 0;
  uint16_t limited_by = kByCap;  // the receiver that was full, the first one of several

  bool operator==(const FilledShare&) const = default;
};

// A share for each transmitter; `out` as long as `cap`. With N transmitters and M receivers at most
// N rounds of N + M steps each. What a receiver has left over is less than one bit a second for
// each transmitter that it limits.
void fill(const FillInput& input, std::span<FilledShare> out);

}  // namespace lambdacast::rate_control
