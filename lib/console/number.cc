// SPDX-License-Identifier: BSD-3-Clause
#include "console/number.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "console/text.h"

namespace lambdacast::console {
namespace {

double multiple(char suffix) {
  switch (suffix) {
    case 'k':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    default:
      return 1;
  }
}

// Whole numbers beyond a double's 53 bits are exact as well.
bool is_plain(const std::string& digits) {
  return digits.find_first_not_of("0123456789") == std::string::npos;
}

template <typename Number>
bool read(std::string_view text, Number& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size();
}

}  // namespace

base::Result<double> parse_real(const std::string& text, const std::string& name) {
  std::string digits;
  for (const char c : text) {
    if (c != '_' && c != ',') digits += c;
  }
  const double times = digits.empty() ? 1 : multiple(digits.back());
  if (times > 1) digits.pop_back();
  double number = 0;
  if (digits.empty() || !read(digits, number) || !std::isfinite(number)) {
    return base::fail(name + ": " + text + " is not a number");
  }
  return number * times;
}

base::Result<uint64_t> parse_whole(const std::string& text, const std::string& name, uint64_t least,
                                   uint64_t most) {
  uint64_t whole = 0;
  if (!is_plain(text) || !read(text, whole)) {
    const auto real = parse_real(text, name);
    if (!real) return tl::unexpected(real.error());
    constexpr double kBeyond = 18446744073709551616.0;  // 2^64
    if (*real < 0 || *real >= kBeyond || std::floor(*real) != *real) {
      return base::fail(name + ": " + text + " is not a whole number");
    }
    whole = static_cast<uint64_t>(*real);
  }
  if (whole >= least && whole <= most) return whole;
  return base::fail(name + ": " + text + " is not allowed; allowed: " + with_separators(least) +
                    " to " + with_separators(most));
}

}  // namespace lambdacast::console
