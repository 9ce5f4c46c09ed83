// SPDX-License-Identifier: BSD-3-Clause
// `set fault KIND VALUE [ENDPOINT]`: what the embedded fabric does to the frames an endpoint
// receives, or to the light it sends.
#pragma once

#include <vector>

#include "config/config.h"
#include "console/appliance.h"
#include "console/command.h"

namespace lambdacast::console {

// Both outlive the command. None if no endpoint has a wavelength.
[[nodiscard]] std::vector<Command> fault_commands(Appliance& appliance,
                                                  const config::Config& config);

}  // namespace lambdacast::console
