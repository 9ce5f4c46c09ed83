// SPDX-License-Identifier: BSD-3-Clause
// Limits what an endpoint publishes to single groups. The publisher holds a group back in front of
// the queue that all groups share, so that groups with a limit do not slow down the others.
//
// Bytes are those on the wire, of first transmissions. Time comes as now_ns. Not thread-safe: the
// application's lcore owns it. Allocates at construction only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rate_control/pacer.h"

namespace lambdacast::rate_control {

struct GroupRate {
  uint32_t group = 0;
  uint64_t limit_bps = 0;

  bool operator==(const GroupRate&) const = default;
};

class GroupLimits {
 public:
  static constexpr size_t kMost = 1024;  // groups

  // Sends at most `burst_bytes` at once; the last frame may exceed that.
  GroupLimits(const std::vector<GroupRate>& groups, uint64_t burst_bytes)
      : burst_bytes_(burst_bytes) {
    limits_.reserve(kMost);
    for (const GroupRate& each : groups) (void)set(each, 0);
  }

  // 0: no limit any more. False: there are kMost already.
  [[nodiscard]] bool set(const GroupRate& rate, uint64_t now_ns) {
    const auto at = find(rate.group);
    const bool known = at != limits_.end() && at->group == rate.group;
    if (rate.limit_bps == 0) {
      if (known) limits_.erase(at);
      return true;
    }
    const PacerConfig config{std::max<uint64_t>(rate.limit_bps / 8, 1), burst_bytes_};
    if (known) {
      at->pacer.set_rate(config, now_ns);
      return true;
    }
    if (limits_.size() == kMost) return false;
    limits_.insert(at, {rate.group, Pacer(config)});
    return true;
  }

  [[nodiscard]] bool any() const { return !limits_.empty(); }
  // May one more frame be published to that group? The last one may be in debt.
  [[nodiscard]] bool allows(uint32_t group, uint64_t now_ns) {
    const auto at = find(group);
    return at == limits_.end() || at->group != group || at->pacer.allowance(now_ns) != 0;
  }
  void spend(uint32_t group, uint64_t wire_bytes) {
    const auto at = find(group);
    if (at != limits_.end() && at->group == group) at->pacer.spend(wire_bytes);
  }

 private:
  struct Limit {
    uint32_t group;
    Pacer pacer;  // bytes on the wire
  };
  [[nodiscard]] std::vector<Limit>::iterator find(uint32_t group) {
    return std::lower_bound(limits_.begin(), limits_.end(), group,
                            [](const Limit& limit, uint32_t of) { return limit.group < of; });
  }

  const uint64_t burst_bytes_;
  std::vector<Limit> limits_;  // by group
};

}  // namespace lambdacast::rate_control
