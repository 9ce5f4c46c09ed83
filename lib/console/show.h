// `show SUBJECT [ENDPOINT]` for every subject of lib/telemetry.
#pragma once

#include <vector>

#include "console/command.h"
#include "dataplane/rack.h"

namespace lambdacast::console {

// The rack outlives the commands.
[[nodiscard]] std::vector<Command> show_commands(dataplane::Rack& rack);

}  // namespace lambdacast::console
