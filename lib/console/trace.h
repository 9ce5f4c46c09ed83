// SPDX-License-Identifier: BSD-3-Clause
// `trace repair ENDPOINT [REL_SEQ]`: the life of one packet that was lost on its way.
#pragma once

#include <vector>

#include "console/command.h"
#include "telemetry/snapshot.h"

namespace lambdacast::console {

// What `source` names outlives the commands.
[[nodiscard]] std::vector<Command> trace_commands(const telemetry::Source& source);

}  // namespace lambdacast::console
