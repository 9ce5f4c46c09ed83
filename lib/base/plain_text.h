// SPDX-License-Identifier: BSD-3-Clause
// Text from elsewhere: names and messages from the wire, files, drivers, arguments. is_plain_text()
// checks what comes in; shown(), shown_lines() and ascii_escaped() write what goes out, whatever
// the text is.
//
// Text is UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. Plain
// text has no controls either: characters that move a terminal's cursor or change its colours
// rather than show, or that turn the direction of the text around them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lambdacast::base {

// The first character of a text. If it is not valid, `bytes` is 1 and that byte begins no
// character.
struct Utf8Character {
  bool valid = false;
  char32_t code = 0;
  size_t bytes = 1;
};

[[nodiscard]] constexpr Utf8Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) -> uint32_t { return static_cast<uint8_t>(text[i]); };
  if (text.empty()) return {};
  if (byte(0) < 0x80) return {true, byte(0), 1};
  size_t bytes = 2;
  char32_t lowest = 0x80;  // a longer form is not allowed for what is below
  if (byte(0) >= 0xe0) bytes = 3, lowest = 0x800;
  if (byte(0) >= 0xf0) bytes = 4, lowest = 0x10000;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return {};
  char32_t code = byte(0) & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < lowest || surrogate || code > 0x10ffff) return {};
  return {true, code, bytes};
}

// C0, DEL and C1 (a terminal takes U+009B for ESC [), the separators of lines and paragraphs, and
// what turns the direction of writing (Unicode annex 9).
[[nodiscard]] constexpr bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

[[nodiscard]] constexpr bool is_plain(const Utf8Character& character) {
  return character.valid && !is_control(character.code);
}

[[nodiscard]] constexpr bool is_plain_text(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (!is_plain(character)) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

// How many columns of a terminal the text takes, as far as each character takes one.
[[nodiscard]] constexpr size_t columns_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

namespace detail {

inline void append_hex(std::string& out, uint32_t value, int digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  while (digits-- > 0) out += kDigits[value >> (4 * digits) & 0xf];
}

// \xNN for each byte of what is not plain.
inline void append_bytes(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    out += "\\x";
    append_hex(out, static_cast<uint8_t>(c), 2);
  }
}

inline std::string shown(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    if (is_plain(character) || (lines && character.code == '\n' && character.valid)) {
      out += bytes;
    } else {
      append_bytes(out, bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

}  // namespace detail

// Returns the text for a terminal, a log or a file of one sentence a line: plain text stays as it
// is, and each other byte is written \xNN.
[[nodiscard]] inline std::string shown(std::string_view text) { return detail::shown(text, false); }

// The same of several lines: line feeds stay.
[[nodiscard]] inline std::string shown_lines(std::string_view text) {
  return detail::shown(text, true);
}

// Returns the text for readers that take printable ASCII alone: a backslash is written \\, another
// plain character beyond ASCII \uNNNN or \UNNNNNNNN, each byte of what is not plain \xNN. The
// result can be cut only where ascii_escape_bytes() says.
[[nodiscard]] inline std::string ascii_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (!is_plain(character)) {
      detail::append_bytes(out, text.substr(0, character.bytes));
    } else if (character.code >= 0x80) {
      const bool wide = character.code > 0xffff;
      out += wide ? "\\U" : "\\u";
      detail::append_hex(out, character.code, wide ? 8 : 4);
    } else {
      if (character.code == '\\') out += '\\';
      out += static_cast<char>(character.code);
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

// How many bytes the first character or escape takes of a text that ascii_escaped() gave.
[[nodiscard]] constexpr size_t ascii_escape_bytes(std::string_view escaped) {
  if (escaped.size() < 2 || escaped[0] != '\\') return std::min<size_t>(escaped.size(), 1);
  constexpr std::array<std::array<size_t, 2>, 4> kForms = {
      {{'\\', 2}, {'x', 4}, {'u', 6}, {'U', 10}}};
  for (const auto& [letter, bytes] : kForms) {
    if (static_cast<size_t>(escaped[1]) == letter) return std::min(escaped.size(), bytes);
  }
  return 1;
}

}  // namespace lambdacast::base
