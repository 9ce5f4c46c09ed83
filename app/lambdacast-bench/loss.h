// `lambdacast-bench loss`: sends, and accounts for every packet at every receiver.
#pragma once

#include "../command_line.h"
#include "bench_rack.h"
#include "loss_options.h"
#include "loss_report.h"

namespace lambdacast::app {

// A run by itself; on an error it has complained.
[[nodiscard]] tl::expected<LossReport, ExitCode> measure_loss(const CommandLine& line,
                                                              const LossOptions& options);

// The exit code: kExitOk only if the identity holds.
[[nodiscard]] int run_loss(const CommandLine& line, const LossOptions& options);

}  // namespace lambdacast::app
