// SPDX-License-Identifier: BSD-3-Clause
// A benchmark's command line for the tests of its options.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace lambdacast::app {

using Words = std::vector<std::string>;

// The options that the words give; empty if they are refused. `add`: what adds the options to a
// subcommand, add_options().
template <typename Options>
std::optional<Options> parse_words(void (*add)(CLI::App&, Options&), Words words) {
  Options options;
  CLI::App command;
  add(command, options);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    command.parse(words);
  } catch (const CLI::ParseError&) {
    return {};
  }
  return options;
}

}  // namespace lambdacast::app
