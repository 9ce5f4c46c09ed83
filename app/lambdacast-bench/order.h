// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench order`: how many messages a second a group delivers in one order, and how long
// they take, at each level of service (FastCast 2013, sections 4.3 and 4.5).
#pragma once

#include "../command_line.h"
#include "order_options.h"

namespace lambdacast::bench {

[[nodiscard]] int run_order(const app::CommandLine& line, const OrderOptions& options);

}  // namespace lambdacast::bench
