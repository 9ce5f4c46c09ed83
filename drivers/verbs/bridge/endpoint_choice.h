// SPDX-License-Identifier: BSD-3-Clause
// Which endpoint of a configuration file the verbs device of this process stands for.
#pragma once

#include "base/result.h"
#include "bridge.h"
#include "config/config.h"

namespace lambdacast::verbs {

// The file with that endpoint alone. Errors: the file's problems, a line each; no endpoint of that
// name; several, and none named; one that has no DPDK port.
[[nodiscard]] base::Result<config::Config> choose_endpoint(const BridgeOrder& order);

}  // namespace lambdacast::verbs
