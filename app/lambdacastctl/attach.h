// SPDX-License-Identifier: BSD-3-Clause
// Finds the lambdacast to talk to.
#pragma once

#include <string>

#include "ctl/client.h"

namespace lambdacast::ctl_tool {

// By the path of its socket, or with none the only one that runs. Several are an error that names
// them.
[[nodiscard]] base::Result<ctl::Client> attach(const std::string& socket);

}  // namespace lambdacast::ctl_tool
