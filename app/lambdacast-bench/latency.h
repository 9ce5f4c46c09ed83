// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench latency`: how long a message takes, and how long of it the bare ports.
#pragma once

#include "../command_line.h"
#include "latency_options.h"

namespace lambdacast::bench {

// The exit code: app::kExitOk only if every message was received once or is told as lost.
[[nodiscard]] int run_latency(const app::CommandLine& line, const LatencyOptions& options);

}  // namespace lambdacast::bench
