// SPDX-License-Identifier: BSD-3-Clause
#include "version_flag.h"

#include <CLI/CLI.hpp>

#include "version.h"

namespace lambdacast::app {

void add_version_flag(CLI::App& cli) {
  cli.set_version_flag("--version", with_version("lambdacast"), "print the version and end");
}

std::string with_version(const std::string& program) {
  return program + " " + std::string(kVersion);
}

}  // namespace lambdacast::app
