// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench repair`: how long a receiver waits for what it missed, from the arrival of the
// frame that reveals a gap until the repaired packet is handed on, in units of the round trip that
// the endpoints measured under the same load.
#pragma once

#include "../command_line.h"
#include "loss_options.h"

namespace lambdacast::bench {

struct RepairOptions {
  LossOptions loss;
};

void add_repair_options(CLI::App& command, RepairOptions& options);
[[nodiscard]] std::string check(const RepairOptions& options);

[[nodiscard]] int run_repair(const app::CommandLine& line, const RepairOptions& options);

}  // namespace lambdacast::bench
