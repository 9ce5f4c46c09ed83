// SPDX-License-Identifier: BSD-3-Clause
// A row of `lambdacast-sim clock`: what is run for each of its seeds, and what is told of the runs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clock.h"
#include "sim/fabrics/clock_run.h"
#include "sim/fabrics/clock_schemes.h"

namespace lambdacast::sim_program {

struct ClockRow {
  std::string graph;
  std::string scheme;  // as it is told
  sim::fabrics::ClockScheme run;
  uint64_t budget_bps = 0;
  uint32_t failures = 0;
  std::vector<sim::fabrics::ClockRun> seeds;  // none if the row was finished before
  nlohmann::ordered_json json;
};

[[nodiscard]] sim::fabrics::ClockScenario scenario_of(const ClockOptions& options,
                                                      const ClockRow& row,
                                                      const sim::fabrics::Fabric& fabric,
                                                      const sim::fabrics::ClockTree& tree,
                                                      uint64_t seed);
// All that a row hangs on.
[[nodiscard]] nlohmann::ordered_json key_of(const ClockOptions& options, const ClockRow& row);
[[nodiscard]] nlohmann::ordered_json row_json(const ClockOptions& options, const ClockRow& row);

}  // namespace lambdacast::sim_program
