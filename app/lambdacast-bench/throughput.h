// `lambdacast-bench throughput`: how much gets from one endpoint to another.
#pragma once

#include "../command_line.h"
#include "throughput_options.h"

namespace lambdacast::app {

// The exit code: kExitOk unless messages came that were not sent, or none at all.
[[nodiscard]] int run_throughput(const CommandLine& line, const ThroughputOptions& options);

}  // namespace lambdacast::app
