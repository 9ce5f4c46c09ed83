// SPDX-License-Identifier: BSD-3-Clause
#include "version_flag.h"

#include <CLI/CLI.hpp>
#include <string>

#include "version.h"

namespace lambdacast::app {

void add_version_flag(CLI::App& cli) {
  cli.set_version_flag("--version", "lambdacast " + std::string(kVersion),
                       "print the version and end");
}

}  // namespace lambdacast::app
