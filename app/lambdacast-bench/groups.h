// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench groups`: what thousands of groups cost, all of them joined by all nodes: to
// join, in memory, and in throughput (QSM 2008, Figure 9).
#pragma once

#include "../command_line.h"
#include "groups_options.h"

namespace lambdacast::bench {

[[nodiscard]] int run_groups(const app::CommandLine& line, const GroupsOptions& options);

}  // namespace lambdacast::bench
