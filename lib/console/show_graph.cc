// SPDX-License-Identifier: BSD-3-Clause
#include "console/show_graph.h"

#include "telemetry/graph.h"

namespace lambdacast::console {

std::vector<Command> show_graph_commands(const telemetry::Source& source) {
  return {{{fixed("show"), fixed("graph")},
           0,
           "Endpoints, stages, links and lcores as they run, for dot of graphviz.",
           [source](const Arguments&) -> Answer {
             return telemetry::graph(take_snapshot(source, {.stages = false}));
           }}};
}

}  // namespace lambdacast::console
