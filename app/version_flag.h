// SPDX-License-Identifier: BSD-3-Clause
// The project's version, and --version, the same on every program.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lambdacast::app {

// Adds the flag: it prints "lambdacast VERSION", the project's version, and ends.
void add_version_flag(CLI::App& cli);

// "lambdacast 0.1.0" of the program "lambdacast".
[[nodiscard]] std::string with_version(const std::string& program);

}  // namespace lambdacast::app
