// SPDX-License-Identifier: BSD-3-Clause
// The command line of `lambdacast-sim congest`.
#pragma once

#include <CLI/CLI.hpp>

#include "congest.h"

namespace lambdacast::sim_program {

CLI::App* add_congest(CLI::App& cli, CongestOptions& congest);

}  // namespace lambdacast::sim_program
