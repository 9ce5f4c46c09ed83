// SPDX-License-Identifier: BSD-3-Clause
// What has to come about once the faults are over.
#include <algorithm>

#include "sim/check/checkers.h"
#include "sim/check/log_index.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

// Has everybody a place in that node's tables?
bool tables_fit(const Scenario& scenario, const NodeScenario& node) {
  return node.max_peers + 1 >= scenario.nodes.size();
}

}  // namespace

Violations check_liveness(const Scenario& scenario, const Log& log) {
  const LogIndex index(scenario, log);
  ViolationList list("Liveness");
  const bool all_fit =
      std::all_of(scenario.nodes.begin(), scenario.nodes.end(),
                  [&](const NodeScenario& node) { return tables_fit(scenario, node); });
  for (uint32_t life = 0; life < log.lives.size(); ++life) {
    if (!index.alive(life)) continue;
    if (!log.lives[life].finished) list.add(index.name(life) + " could not publish to the end");
    if (!log.lives[life].flushed) list.add(index.name(life) + " is not flushed");
  }
  if (!all_fit) return list.take();
  for (const PairLog& pair : index.pairs()) {
    if (!index.alive(pair.sender) || !index.alive(pair.receiver)) continue;
    if (!pair.welcomed) list.add(index.name(pair) + ": not admitted");
    const auto got = std::count_if(pair.told.begin(), pair.told.end(), [&](uint32_t i) {
      const Told& told = log.told[i];
      return told.is_message() && told.publication != kNobody &&
             log.publications[told.publication].epilogue;
    });
    if (got != kEpilogueMessages) {
      list.add(index.name(pair) + ": got " + std::to_string(got) + " of the last " +
               std::to_string(kEpilogueMessages) + " messages");
    }
  }
  return list.take();
}

}  // namespace lambdacast::sim
