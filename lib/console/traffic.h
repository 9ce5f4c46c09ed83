// SPDX-License-Identifier: BSD-3-Clause
// `start`, `stop`, `set traffic`, `send`, `call`, `listen`: the endpoints' built-in application.
#pragma once

#include <vector>

#include "config/config.h"
#include "console/appliance.h"
#include "console/command.h"

namespace lambdacast::console {

// Both outlive the commands.
[[nodiscard]] std::vector<Command> traffic_commands(Appliance& appliance,
                                                    const config::Config& config);

}  // namespace lambdacast::console
