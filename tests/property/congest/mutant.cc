// SPDX-License-Identifier: BSD-3-Clause
// A mutant: lib/congest with one header patched (patches/), as MUTANT_ENGINE. Within 2 000 small
// seeds a checker, or the comparison with rounds without a network, has to find it.
#include <cstdio>
#include <exception>
#include <type_traits>

#include "seeds.h"

namespace lambdacast::congest {
namespace {

using namespace sim::fabrics;  // of this file alone
using Mutant = MUTANT_ENGINE;
using Algorithm = Mutant::Algorithm;

std::string differs(const LiveGraph& live, const Algorithm::Config& config,
                    const SynchronousRun<Algorithm>& reference, uint64_t seed) {
  const auto setting = random_setting(seed);
  if constexpr (std::is_same_v<Mutant::Synchroniser, Beta>) {
    const auto tree = tree_of(live, first_alive(live));
    return difference<Mutant>(
        live, reference, config, [&](NodeId node) { return tree[node]; }, setting);
  } else if constexpr (Mutant::Synchroniser::kSteps) {
    const auto tree = tree_of(live, first_alive(live));
    const auto told = by_iteration<Algorithm>(config);
    return difference<Mutant>(
        live, run_synchronously<Algorithm>(live, told, setting.seed), told,
        [&](NodeId node) { return tree[node]; }, setting);
  } else if constexpr (std::is_same_v<Mutant::Synchroniser, FreeRunning>) {
    return difference<Mutant>(
        live, reference, config, [](NodeId) { return FreeRunning::Config(); }, setting);
  } else {
    const Alpha::Config end{.rounds = reference.most_rounds, .phases = reference.phases};
    return difference<Mutant>(
        live, reference, config, [&](NodeId) { return end; }, setting);
  }
}

std::string said() {
  try {
    return first_fault<Algorithm>(2000, 9, differs);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace
}  // namespace lambdacast::congest

int main() {
  const std::string said = lambdacast::congest::said();
  std::puts(said.empty() ? "not found" : said.c_str());
  return said.empty() ? 1 : 0;
}
