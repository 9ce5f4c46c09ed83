// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lambdacast::base {

// The parts in their order, with the separator between them.
[[nodiscard]] inline std::string joined(std::span<const std::string> parts,
                                        std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace lambdacast::base
