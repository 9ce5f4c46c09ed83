// SPDX-License-Identifier: BSD-3-Clause
// The optional ENDPOINT that many commands end with.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "console/command.h"

namespace lambdacast::console {

[[nodiscard]] inline std::vector<std::string> endpoint_names(const config::Config& config) {
  std::vector<std::string> names;
  for (const config::Endpoint& endpoint : config.endpoints) names.push_back(endpoint.name);
  return names;
}

[[nodiscard]] inline Word endpoint_word(const config::Config& config) {
  return choice("ENDPOINT", endpoint_names(config));
}

// The endpoints that word `at` of a line names: that one, or all if it was left out.
[[nodiscard]] inline std::vector<size_t> chosen(const config::Config& config,
                                                const Arguments& arguments, size_t at) {
  std::vector<size_t> endpoints;
  for (size_t i = 0; i < config.endpoints.size(); ++i) {
    if (at >= arguments.size() || config.endpoints[i].name == arguments[at]) endpoints.push_back(i);
  }
  return endpoints;
}

}  // namespace lambdacast::console
