// SPDX-License-Identifier: BSD-3-Clause
// The options of `lambdacast-sim clock`.
#pragma once

#include <CLI/CLI.hpp>

#include "clock.h"

namespace lambdacast::sim_program {

CLI::App* add_clock(CLI::App& cli, ClockOptions& clock);

}  // namespace lambdacast::sim_program
