// SPDX-License-Identifier: BSD-3-Clause
// Figures that measurements in virtual time read off a log.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/multicast/log.h"

namespace lambdacast::sim {

// Was there one view, of all nodes in the order of their numbers, and no other?
[[nodiscard]] inline bool is_one_view(const Log& log, size_t nodes) {
  if (log.views.size() != nodes) return false;
  return std::all_of(log.views.begin(), log.views.end(), [&](const InstalledView& view) {
    if (view.epoch != log.views.front().epoch || view.members.size() != nodes) return false;
    for (size_t rank = 0; rank < nodes; ++rank) {
      if (view.members[rank] == kNobody || log.lives[view.members[rank]].node != rank) return false;
    }
    return true;
  });
}

[[nodiscard]] inline uint64_t value_at(const std::vector<uint64_t>& ascending, double share) {
  if (ascending.empty()) return 0;
  const double place = share * static_cast<double>(ascending.size());
  return ascending[std::min(static_cast<size_t>(place), ascending.size() - 1)];
}

}  // namespace lambdacast::sim
