// SPDX-License-Identifier: BSD-3-Clause
// `show config`: the configuration as it works.
#pragma once

#include <vector>

#include "config/config.h"
#include "console/command.h"

namespace lambdacast::console {

[[nodiscard]] std::vector<Command> show_config_commands(const config::Config& config);

}  // namespace lambdacast::console
