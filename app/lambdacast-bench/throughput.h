// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench throughput`: how much gets from one endpoint to another.
#pragma once

#include "../command_line.h"
#include "throughput_options.h"

namespace lambdacast::bench {

// The exit code: app::kExitOk unless messages came that were not sent, or none at all.
[[nodiscard]] int run_throughput(const app::CommandLine& line, const ThroughputOptions& options);

}  // namespace lambdacast::bench
