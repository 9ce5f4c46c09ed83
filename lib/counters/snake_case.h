// SPDX-License-Identifier: BSD-3-Clause
// "BadIcrc" -> "bad_icrc": the telemetry keys of the X-macro lists.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace lambdacast::counters {

inline constexpr size_t kMaxKeyBytes = 40;
using Key = std::array<char, kMaxKeyBytes>;

// Done by the compiler; a name too long fails to compile.
constexpr Key snake_case(std::string_view camel) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  Key key{};
  size_t length = 0;
  for (size_t i = 0; i < camel.size(); ++i) {
    if (i > 0 && is_upper(camel[i])) key.at(length++) = '_';
    key.at(length++) = is_upper(camel[i]) ? static_cast<char>(camel[i] - 'A' + 'a') : camel[i];
  }
  key.at(length) = '\0';
  return key;
}

}  // namespace lambdacast::counters
