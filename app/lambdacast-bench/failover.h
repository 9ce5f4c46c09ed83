// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench failover`: nodes of a view publish totally resilient messages; then one or two
// of them are polled no more, as if their processes had died. How long is it to the first delivery
// in the next view at every survivor, and has any of them lost anything?
#pragma once

#include "../command_line.h"
#include "failover_options.h"

namespace lambdacast::bench {

[[nodiscard]] int run_failover(const app::CommandLine& line, const FailoverOptions& options);

}  // namespace lambdacast::bench
