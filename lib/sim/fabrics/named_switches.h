// SPDX-License-Identifier: BSD-3-Clause
// Improvements of a published protocol by name, each a switch of its own.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace lambdacast::sim::fabrics {

template <typename Improvements>
struct NamedSwitch {
  const char* name;
  bool Improvements::*improvement;
};

template <typename Table>
[[nodiscard]] std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& each : table) names.emplace_back(each.name);
  return names;
}

template <typename Table, typename Improvements>
void set_named(const Table& table, const std::vector<std::string>& names, bool on,
               Improvements& improvements) {
  for (const auto& each : table)
    if (std::find(names.begin(), names.end(), each.name) != names.end())
      improvements.*each.improvement = on;
}

// "+one+other", behind the name of a scheme.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& names, const char* sign) {
  std::string text;
  for (const std::string& name : names) text += sign + name;
  return text;
}

}  // namespace lambdacast::sim::fabrics
