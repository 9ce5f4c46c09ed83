// SPDX-License-Identifier: BSD-3-Clause
// Whether nodes that agree on their rates send no faster than they may by their own account.
#include <algorithm>

#include "sim/check/checkers.h"
#include "sim/check/earned.h"
#include "sim/check/log_index.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {
namespace {

// A process that is stopped may send nothing, and its pacer earns what its clock goes on.
bool stops_then(const Scenario& scenario, const Log& log, const Allowance& each) {
  return each.bps == 0 &&
         std::any_of(scenario.actions.begin(), scenario.actions.end(), [&](const Action& action) {
           return action.what == Action::What::kPause && action.at_ns == each.at_ns &&
                  action.node == log.lives[each.life].node;
         });
}

}  // namespace

Violations check_paced(const Scenario& scenario, const Log& log) {
  const LogIndex index(scenario, log);
  ViolationList list("Paced");
  std::vector<Earned> earned;
  for (uint32_t life = 0; life < log.lives.size(); ++life)
    earned.emplace_back(scenario, index.node(life));
  std::vector<OnWire> frames = log.wire;
  std::stable_sort(frames.begin(), frames.end(), [](const OnWire& one, const OnWire& other) {
    return one.offered_ns < other.offered_ns;
  });
  size_t next = 0;
  for (const OnWire& frame : frames) {
    for (; next < log.allowances.size() && log.allowances[next].at_ns <= frame.offered_ns; ++next) {
      const Allowance& each = log.allowances[next];
      if (stops_then(scenario, log, each)) continue;
      earned[each.life].allow(each.at_ns, each.bps);
    }
    if (!frame.data) continue;
    const uint64_t over = earned[frame.life].send(frame.offered_ns, frame.bytes);
    if (over == 0) continue;
    list.add(index.name(frame.life) + " has sent " + std::to_string(over) +
             " bytes of data more than it may at " + std::to_string(frame.at_ns) + " ns");
  }
  return list.take();
}

}  // namespace lambdacast::sim
