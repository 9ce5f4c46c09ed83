// SPDX-License-Identifier: BSD-3-Clause
// Keeps from the TOML parser what it does not bear. toml++ 3.3 (Debian 12's) runs into undefined
// behaviour at some characters beyond ASCII outside strings and comments, and destroys the nested
// tables of a dotted key by recursion, however long the key. No value of ours needs more than
// ASCII, so only comments may have it: that holds even where broken TOML makes parser and guard
// differ on what is a string.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lambdacast::config {

inline constexpr std::size_t kMaxFileBytes = 256 * 1024;
inline constexpr unsigned kMaxLineDots = 64;  // outside strings and comments

struct TextFault {
  unsigned line = 1;   // from 1
  std::string reason;  // a clause whose subject is the line
};

// The first fault; nothing if the parser may have the text, be it TOML or not.
[[nodiscard]] std::optional<TextFault> find_fault(std::string_view text);

}  // namespace lambdacast::config
