// SPDX-License-Identifier: BSD-3-Clause
// `show graph`: endpoints, stages, links and lcores as they run, for graphviz.
#pragma once

#include <vector>

#include "console/command.h"
#include "telemetry/snapshot.h"

namespace lambdacast::console {

// What `source` names outlives the commands.
[[nodiscard]] std::vector<Command> show_graph_commands(const telemetry::Source& source);

}  // namespace lambdacast::console
