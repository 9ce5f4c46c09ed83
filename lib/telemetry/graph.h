// SPDX-License-Identifier: BSD-3-Clause
// The composition that runs, as a graph for graphviz (dot): endpoints with their stages and ports,
// the links between the stages with what waits in them, and the lcores that poll the stages.
#pragma once

#include <string>

#include "telemetry/snapshot.h"

namespace lambdacast::telemetry {

// One digraph, each line with its line feed.
[[nodiscard]] std::string graph(const Snapshot& snapshot);

}  // namespace lambdacast::telemetry
