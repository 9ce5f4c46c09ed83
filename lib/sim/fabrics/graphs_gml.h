// SPDX-License-Identifier: BSD-3-Clause
// Graphs in GML (Himsolt), as the Topology Zoo has them: `graph [ node [ id N label "X" ] edge [
// source N target N ] ]`. Other keys are read over. Links that join the same ends count once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "congest/graph.h"

namespace lambdacast::sim::fabrics {

struct GmlGraph {
  congest::Graph graph;
  std::vector<std::string> labels;  // by node, as in the file
};

// `name` is what the text is called in errors: "NAME:LINE: reason".
[[nodiscard]] base::Result<GmlGraph> parse_gml(std::string_view text, std::string_view name);

}  // namespace lambdacast::sim::fabrics
