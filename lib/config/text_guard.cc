// SPDX-License-Identifier: BSD-3-Clause
#include "config/text_guard.h"

#include <fmt/format.h>

#include <algorithm>

namespace lambdacast::config {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // may begin a file

// Where strings end, as TOML 1.0 has it.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // Behind the string that begins at `at`; `at` itself if none does.
  [[nodiscard]] std::size_t skip_string(std::size_t at) const {
    const char c = text_[at];
    if (c != '"' && c != '\'') return at;
    return triple(at, c) ? skip_long(at + 3, c) : skip_short(at + 1, c);
  }

 private:
  [[nodiscard]] bool triple(std::size_t at, char quote) const {
    return text_.substr(at, 3) == std::string(3, quote);
  }

  [[nodiscard]] std::size_t skip_short(std::size_t at, char quote) const {
    for (; at < text_.size() && text_[at] != '\n'; ++at) {
      if (text_[at] == quote) return at + 1;
      if (quote == '"' && text_[at] == '\\') ++at;
    }
    return std::min(at, text_.size());
  }

  [[nodiscard]] std::size_t skip_long(std::size_t at, char quote) const {
    for (; at < text_.size(); ++at) {
      if (triple(at, quote)) {
        at += 3;  // and up to two quotes that belong to the string
        for (int i = 0; i < 2 && at < text_.size() && text_[at] == quote; ++i) ++at;
        return at;
      }
      if (quote == '"' && text_[at] == '\\') ++at;
    }
    return text_.size();
  }

  std::string_view text_;
};

}  // namespace

std::optional<TextFault> find_fault(std::string_view text) {
  if (text.size() > kMaxFileBytes) {
    return TextFault{1, fmt::format("is part of more than {} bytes", kMaxFileBytes)};
  }
  const Scanner scanner(text);
  unsigned line = 1;
  unsigned dots = 0;
  std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (at < text.size()) {
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    const std::size_t next = std::max(at + 1, scanner.skip_string(at));
    for (const char c : text.substr(at, next - at)) {
      if (static_cast<unsigned char>(c) >= 0x80) {
        return TextFault{line, "has a character beyond ASCII outside a comment"};
      }
      if (c == '\n') {
        ++line;
        dots = 0;
      }
    }
    if (text[at] == '.' && ++dots > kMaxLineDots) {
      return TextFault{line, fmt::format("has more than {} dots", kMaxLineDots)};
    }
    at = next;
  }
  return std::nullopt;
}

}  // namespace lambdacast::config
