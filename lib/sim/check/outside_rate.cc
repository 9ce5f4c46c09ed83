// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/outside_rate.h"

#include <algorithm>

namespace lambdacast::sim {

uint64_t outside_bps(const Scenario& scenario, const Log& log, uint32_t life) {
  const auto rate = [&](uint32_t of) -> const rate_control::RateConfig& {
    return scenario.nodes[log.lives[of].node].rate;
  };
  const auto part = [](uint64_t bps, uint64_t percent) { return bps / 100 * percent + percent; };
  const rate_control::RateConfig& own = rate(life);
  if (own.outside_bps != 0) return own.outside_bps;
  const size_t nodes = scenario.membership.views.initial_nodes == 0
                           ? scenario.nodes.size()
                           : scenario.membership.views.initial_nodes;
  uint64_t most = part(own.capacity_bps, own.reserve_percent) / (3 * nodes);
  for (const InstalledView& view : log.views) {
    if (view.life != life || view.members.size() < 2) continue;
    uint64_t least = kNoLimit;
    for (const uint32_t member : view.members) {
      if (member == kNobody || member == life) continue;
      // A newcomer has told its room alone, and is taken to keep the same part of it.
      const rate_control::RateConfig& other = rate(member);
      const uint64_t percent = std::max(other.reserve_percent, own.reserve_percent);
      if (other.capacity_bps != 0) least = std::min(least, part(other.capacity_bps, percent));
    }
    if (least == kNoLimit) return kNoLimit;  // it needs no share
    most = std::max(most, least / (3 * std::max(nodes, view.members.size())));
  }
  return most;
}

}  // namespace lambdacast::sim
