// SPDX-License-Identifier: BSD-3-Clause
// The options of lambdacastctl, and the command behind them.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace lambdacast::ctl_tool {

struct Options {
  std::string socket;  // "": the only one there is
  std::string file;    // of commands; "": none, "-": the standard input
  bool stop_at_error = false;
  bool json = false;
  std::string command;  // "": none
};

// The options, or the exit code of a program that has printed its help or what is wrong.
[[nodiscard]] std::variant<Options, int> parse_options(const std::vector<std::string>& arguments);

}  // namespace lambdacast::ctl_tool
