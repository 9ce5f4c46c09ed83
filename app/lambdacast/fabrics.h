// SPDX-License-Identifier: BSD-3-Clause
// lambdacast --list-fabrics and --remove-stale: the embedded fabrics of this machine.
#pragma once

#include <string>
#include <vector>

#include "../command_line.h"
#include "fabric/inventory.h"

namespace lambdacast::appliance {

// A line each, with what keeps it alive.
[[nodiscard]] std::string text(const std::vector<fabric::FabricFiles>& fabrics);

// Prints the list, and with `remove` takes away what stale ones have left. kExitEnvironment: some
// of that is still there, and stderr says why.
[[nodiscard]] app::ExitCode show_fabrics(bool remove);

}  // namespace lambdacast::appliance
