// SPDX-License-Identifier: BSD-3-Clause
// The course of a run in bins of time: how far two clocks may be apart at the end of each, and how
// much the busiest direction of a link has carried in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "congest/graph.h"

namespace lambdacast::sim::fabrics {

class ClockSeries {
 public:
  // `bin_ns` 0: none is wanted.
  ClockSeries(size_t arcs, uint64_t bin_ns) : bin_ns_(bin_ns), arcs_(bin_ns == 0 ? 0 : arcs) {}

  [[nodiscard]] bool wanted() const { return bin_ns_ != 0; }
  [[nodiscard]] uint64_t next_ns() const { return (epsilon_ns_.size() + 1) * bin_ns_; }
  void sample(double epsilon_ns) { epsilon_ns_.push_back(epsilon_ns); }
  void frame(congest::ArcId arc, uint64_t start_ns, uint64_t bits) {
    if (!wanted()) return;
    const uint64_t bin = start_ns / bin_ns_;
    if (busiest_.size() <= bin) busiest_.resize(bin + 1);
    Arc& at = arcs_[arc];
    if (at.bin != bin) at = {bin, 0};
    at.bits += bits;
    busiest_[bin] = std::max(busiest_[bin], at.bits);
  }
  void take(std::vector<double>& epsilon_ns, std::vector<uint64_t>& busiest) {
    epsilon_ns = std::move(epsilon_ns_);
    busiest = std::move(busiest_);
  }

 private:
  struct Arc {
    uint64_t bin = 0;
    uint64_t bits = 0;
  };
  const uint64_t bin_ns_;
  std::vector<Arc> arcs_;
  std::vector<double> epsilon_ns_;
  std::vector<uint64_t> busiest_;
};

}  // namespace lambdacast::sim::fabrics
