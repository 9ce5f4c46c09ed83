// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm of lib/congest is given on a fabric, drawn from a seed, and what its result
// costs.
#pragma once

#include <cstdint>

#include "sim/fabrics/congest_judge.h"
#include "sim/fabrics/congest_schemes.h"

namespace lambdacast::sim::fabrics {

template <typename Algorithm>
[[nodiscard]] typename Algorithm::Config draw_config(const Fabric& fabric, const CongestTree& tree,
                                                     const CongestInputs& inputs, uint64_t seed);

// The waves that say what Leader and TreeElection say.
[[nodiscard]] congest::Wave::Config waves_of(const congest::Leader::Config& config, size_t nodes);
[[nodiscard]] congest::Wave::Config waves_of(const congest::TreeElection::Config& config,
                                             size_t nodes);

// As CongestOutcome::cost has it.
template <typename Algorithm>
[[nodiscard]] double cost_of(const LiveGraph& live, const typename Algorithm::Config& config,
                             const Results<Algorithm>& results);

}  // namespace lambdacast::sim::fabrics
