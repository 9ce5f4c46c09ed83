// SPDX-License-Identifier: BSD-3-Clause
// The arguments of `lambdacast-sim trees`.
#pragma once

#include <CLI/CLI.hpp>

#include "trees.h"

namespace lambdacast::sim_program {

CLI::App* add_trees(CLI::App& cli, TreesOptions& trees);

}  // namespace lambdacast::sim_program
