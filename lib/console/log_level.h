// SPDX-License-Identifier: BSD-3-Clause
// `set log LEVEL` for all of DPDK's and our log types, `set log TYPE LEVEL` for some.
#pragma once

#include <vector>

#include "console/command.h"

namespace lambdacast::console {

[[nodiscard]] std::vector<Command> log_commands();

}  // namespace lambdacast::console
