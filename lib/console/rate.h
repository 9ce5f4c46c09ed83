// SPDX-License-Identifier: BSD-3-Clause
// `set rate need|limit|capacity BITS [ENDPOINT]` and `set rate group GROUP BITS [ENDPOINT]`: what
// endpoints may send.
#pragma once

#include <vector>

#include "console/command.h"
#include "console/live_config.h"

namespace lambdacast::console {

// `live` outlives the commands.
[[nodiscard]] std::vector<Command> rate_commands(LiveConfig& live);

}  // namespace lambdacast::console
