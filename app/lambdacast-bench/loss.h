// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench loss`: sends, and accounts for every packet at every receiver.
#pragma once

#include "../command_line.h"
#include "bench_rack.h"
#include "loss_options.h"
#include "loss_report.h"

namespace lambdacast::bench {

// A run by itself; on an error it has complained.
[[nodiscard]] tl::expected<LossReport, app::ExitCode> measure_loss(const app::CommandLine& line,
                                                                   const LossOptions& options);

// The exit code: app::kExitOk only if the identity holds.
[[nodiscard]] int run_loss(const app::CommandLine& line, const LossOptions& options);

}  // namespace lambdacast::bench
