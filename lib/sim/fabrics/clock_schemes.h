// SPDX-License-Identifier: BSD-3-Clause
// The schemes for trees of clocks by name: what was published, ours with each improvement a switch,
// and the baselines; and what fails in a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fabrics/clock_run.h"

namespace lambdacast::sim::fabrics {

struct ClockScheme {
  enum class Kind : uint8_t { kFrancis, kPtp, kSundial };
  std::string name;
  Kind kind = Kind::kFrancis;
  clock_sync::Improvements improvements{};
  clock_sync::Speaks speaks = clock_sync::Speaks::kLeast;
};

[[nodiscard]] std::vector<std::string> clock_scheme_names();
[[nodiscard]] std::vector<std::string> clock_improvement_names();
// All that ours has.
[[nodiscard]] clock_sync::Improvements our_improvements();
// Names that exist; `with` and `without` change each FRANCIS among them.
[[nodiscard]] std::vector<ClockScheme> schemes_named(const std::vector<std::string>& names,
                                                     const std::vector<std::string>& with,
                                                     const std::vector<std::string>& without);
// Ours, ours without each improvement, ours with ranks, published with each, and published.
[[nodiscard]] std::vector<ClockScheme> ablation_schemes();
// Why that scheme cannot run within that budget; empty: it can.
[[nodiscard]] std::string scheme_refuses(const ClockScheme& scheme, uint64_t budget_bps);
[[nodiscard]] ClockRun run_scheme(const ClockScheme& scheme, const Fabric& fabric,
                                  const ClockTree& tree, const ClockScenario& scenario);

// The first is the root, or one of its links; the others are of the same kind and no neighbours of
// what has failed before, as far as the graph has such.
[[nodiscard]] std::vector<Failure> draw_failures(const Fabric& fabric, const ClockTree& tree,
                                                 uint32_t count, bool links, uint64_t seed);

}  // namespace lambdacast::sim::fabrics
