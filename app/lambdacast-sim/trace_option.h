// SPDX-License-Identifier: BSD-3-Clause
// --trace of commands that run protocols over fabrics.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "sim/fabrics/trace_lines.h"

namespace lambdacast::sim_program {

inline void add_trace(CLI::App& command, bool& trace) {
  command.add_flag("--trace", trace, "print each frame on stderr, of one row with one seed");
}
// Empty, or a sentence: why that many rows and seeds cannot be traced.
[[nodiscard]] inline std::string trace_refuses(bool trace, size_t rows, uint64_t seeds) {
  if (!trace || (rows == 1 && seeds == 1)) return {};
  return fmt::format("--trace is of one row with one seed, and there are {} rows of {}", rows,
                     seeds);
}
[[nodiscard]] inline sim::fabrics::TraceSink trace_sink(bool trace) {
  if (!trace) return {};
  return [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
}

}  // namespace lambdacast::sim_program
