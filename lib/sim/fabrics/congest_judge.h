// SPDX-License-Identifier: BSD-3-Clause
// Judges what an algorithm of lib/congest says on a graph, by the checks of check_congest.h, which
// share nothing with it. An empty string: the results are right.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "congest/boruvka.h"
#include "congest/breadth_first.h"
#include "congest/graph.h"
#include "congest/independent_set.h"
#include "congest/leader.h"
#include "congest/recovery_bitmaps.h"
#include "congest/set_cover_tree.h"
#include "congest/spanner.h"
#include "congest/tree_centre.h"
#include "congest/tree_election.h"
#include "congest/vertex_cover.h"
#include "congest/wave.h"

namespace lambdacast::sim::fabrics {

// By node; none: it has failed.
template <typename Algorithm>
using Results = std::vector<std::optional<typename Algorithm::Result>>;

// The least switch that is alive.
[[nodiscard]] congest::NodeId first_alive(const congest::LiveGraph& live);
[[nodiscard]] size_t alive_nodes(const congest::LiveGraph& live);

using congest::LiveGraph;
[[nodiscard]] std::string judge(const LiveGraph& live, const congest::Leader::Config& config,
                                const Results<congest::Leader>& results);
[[nodiscard]] std::string judge(const LiveGraph& live, const congest::BreadthFirst::Config& config,
                                const Results<congest::BreadthFirst>& results);
[[nodiscard]] std::string judge(const LiveGraph& live, const congest::TreeCentre::Config& config,
                                const Results<congest::TreeCentre>& results);
[[nodiscard]] std::string judge(const LiveGraph& live, const congest::TreeElection::Config& config,
                                const Results<congest::TreeElection>& results);
[[nodiscard]] std::string judge(const LiveGraph& live, const congest::Boruvka::Config& config,
                                const Results<congest::Boruvka>& results);
[[nodiscard]] std::string judge(const LiveGraph& live,
                                const congest::IndependentSet::Config& config,
                                const Results<congest::IndependentSet>& results);
[[nodiscard]] std::string judge(const LiveGraph& live, const congest::VertexCover::Config& config,
                                const Results<congest::VertexCover>& results);
[[nodiscard]] std::string judge(const LiveGraph& live,
                                const congest::ApproximateVertexCover::Config& config,
                                const Results<congest::ApproximateVertexCover>& results);
[[nodiscard]] std::string judge(const LiveGraph& live, const congest::Spanner::Config& config,
                                const Results<congest::Spanner>& results);
[[nodiscard]] std::string judge(const LiveGraph& live, const congest::SetCoverTree::Config& config,
                                const Results<congest::SetCoverTree>& results);
[[nodiscard]] std::string judge(const LiveGraph& live, const congest::Wave::Config& config,
                                const Results<congest::Wave>& results);
[[nodiscard]] std::string judge(const LiveGraph& live,
                                const congest::RecoveryBitmaps::Config& config,
                                const Results<congest::RecoveryBitmaps>& results);

// Links of a spanner, for the mean over seeds that is promised.
[[nodiscard]] size_t kept_links(const LiveGraph& live, const Results<congest::Spanner>& results);

}  // namespace lambdacast::sim::fabrics
