// SPDX-License-Identifier: BSD-3-Clause
// Text of any bytes: what escaping writes is what its readers can take, and loses nothing.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/plain_text.h"

namespace {

using namespace lambdacast::base;

void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", rule);
  std::abort();
}

uint32_t hex(std::string_view digits) {
  return static_cast<uint32_t>(std::stoul(std::string(digits), nullptr, 16));
}

void append_utf8(std::string& out, char32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    tail(6);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    tail(12);
    tail(6);
  }
  tail(0);
}

// What ascii_escaped() was given.
std::string unescaped(std::string_view escaped) {
  std::string out;
  while (!escaped.empty()) {
    const std::string_view one = escaped.substr(0, ascii_escape_bytes(escaped));
    if (one.size() <= 2) {
      out += one.back();
    } else if (one[1] == 'x') {
      out += static_cast<char>(hex(one.substr(2)));
    } else {
      append_utf8(out, hex(one.substr(2)));
    }
    escaped.remove_prefix(one.size());
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  const std::string text(reinterpret_cast<const char*>(data), bytes);
  const std::string escaped = ascii_escaped(text);
  for (const char c : escaped) require(c >= ' ' && c <= '~', "it is printable ASCII");
  require(unescaped(escaped) == text, "nothing is lost");
  require(is_plain_text(shown(text)), "what is shown is plain");
  require(!is_plain_text(text) || shown(text) == text, "plain text is shown as it is");
  return 0;
}
