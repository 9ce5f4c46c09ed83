// SPDX-License-Identifier: BSD-3-Clause
// --version, the same on every program.
#pragma once

namespace CLI {
class App;
}

namespace lambdacast::app {

// Adds the flag: it prints "lambdacast VERSION", the project's version, and ends.
void add_version_flag(CLI::App& cli);

}  // namespace lambdacast::app
