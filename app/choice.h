// SPDX-License-Identifier: BSD-3-Clause
// An option with one of a few values that have names.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string>

namespace lambdacast::app {

// Help and refusals list the names alone: CLI11's transformers print the values beside them, and
// those of an enumeration of one byte as unprintable characters. The default is what `value` is.
template <typename Value>
CLI::Option* add_choice(CLI::App& command, const std::string& option, Value& value,
                        const std::map<std::string, Value>& choices, const std::string& help) {
  const auto standard = std::find_if(choices.begin(), choices.end(),
                                     [&](const auto& choice) { return choice.second == value; });
  return command
      .add_option_function<std::string>(
          option, [&value, choices](const std::string& name) { value = choices.at(name); }, help)
      ->check(CLI::IsMember(choices))
      ->type_name("NAME")
      ->default_str(standard == choices.end() ? "" : standard->first);
}

}  // namespace lambdacast::app
