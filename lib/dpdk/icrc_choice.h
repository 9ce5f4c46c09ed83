// SPDX-License-Identifier: BSD-3-Clause
// Which way to compute ICRCs this process uses: the fastest on this processor, as measured at
// start. All ways give the same value (tests/unit/dpdk/icrc_choice_test.cc).
#pragma once

#include <string>
#include <vector>

#include "wire/roce/icrc.h"

namespace lambdacast::dpdk {

struct IcrcTiming {
  wire::IcrcMethod method;
  double short_ns = 0;  // a packet of 64 bytes of RoCE payload, in bursts, hot
  double long_ns = 0;   // 4096 bytes; 0: takes no such packets
};

struct IcrcChoice {
  std::vector<IcrcTiming> timings;  // the first is what is used where nothing is clearly faster
  size_t short_packets = 0;         // indices into timings
  size_t long_packets = 0;

  // "folding up to 256 bytes (5.1 ns for 64), ISA-L beyond (92 ns for 4096)"
  [[nodiscard]] std::string text() const;
};

// wire::icrc_methods() and what DPDK has.
[[nodiscard]] std::vector<wire::IcrcMethod> icrc_candidates();

// The choice among timings that have been taken: a candidate has to be a tenth faster than the
// first to be preferred, so that noise does not choose.
[[nodiscard]] IcrcChoice choose_icrc(std::vector<IcrcTiming> timings);

// Measures (in less than 1 ms) and puts the choice into use, the first time it is called. EAL runs,
// no lcore does.
const IcrcChoice& icrc_choice();

}  // namespace lambdacast::dpdk
