// SPDX-License-Identifier: BSD-3-Clause
// The schemes that mend multicast trees by name: what was published, and ours with each improvement
// a switch; what fails in a run, and which groups that affects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/fabrics/groups_wve.h"
#include "sim/fabrics/tree_run.h"

namespace lambdacast::sim::fabrics {

struct TreeScheme {
  std::string name;
  trees::RepairImprovements improvements{};
};

[[nodiscard]] std::vector<std::string> tree_scheme_names();
[[nodiscard]] std::vector<std::string> tree_improvement_names();
// Names that exist; `with` and `without` change each of them.
[[nodiscard]] std::vector<TreeScheme> tree_schemes_named(const std::vector<std::string>& names,
                                                         const std::vector<std::string>& with,
                                                         const std::vector<std::string>& without);
// Ours, ours without each improvement, published with each, and published.
[[nodiscard]] std::vector<TreeScheme> tree_ablation_schemes();

// Switches of the highest layer of a Clos network, or any of another graph; or links.
[[nodiscard]] std::vector<Failure> draw_tree_failures(const Fabric& fabric, uint32_t count,
                                                      bool links, uint64_t seed);
// The switches that floods may name: those that fail, and the ends of links that do.
[[nodiscard]] std::vector<NodeId> named_by(const Graph& graph,
                                           const std::vector<Failure>& failures);

// The groups `numbers`, beside each switch of `wanted` (by node) that their trees on the graph pass
// through: a group whose source is there is lost, and one with no more than a receiver there needs
// no other tree. Any thread may ask.
[[nodiscard]] std::vector<std::pair<NodeId, trees::InstalledGroups::Group>> groups_through(
    const Fabric& fabric, const Groups& groups, std::span<const uint32_t> numbers,
    const std::vector<bool>& wanted, uint64_t seed);

}  // namespace lambdacast::sim::fabrics
