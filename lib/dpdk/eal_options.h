// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

namespace lambdacast::dpdk {

// Do EAL's arguments have one of the options, as "--option", "--option VALUE" or "--option=VALUE"?
[[nodiscard]] inline bool has(const std::vector<std::string>& arguments,
                              std::initializer_list<const char*> options) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
      return argument == option || argument.starts_with(option + "=");
    });
  });
}

}  // namespace lambdacast::dpdk
