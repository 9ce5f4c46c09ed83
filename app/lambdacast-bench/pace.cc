// SPDX-License-Identifier: BSD-3-Clause
#include "pace.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace lambdacast::bench {

std::string Pace::text() const {
  switch (kind) {
    case Kind::kWindow:
      return "window";
    case Kind::kNone:
      return "none";
    case Kind::kRate:
      return std::to_string(per_second);
  }
  return "?";
}

void add_pace_option(CLI::App& command, Pace& pace, const std::string& units) {
  const auto set = [&pace, units](const std::string& text) {
    if (text == "window" || text == "none") {
      pace.kind = text == "window" ? Pace::Kind::kWindow : Pace::Kind::kNone;
      return;
    }
    pace.kind = Pace::Kind::kRate;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, pace.per_second);
    if (parsed.ec != std::errc() || parsed.ptr != end || pace.per_second == 0) {
      throw CLI::ValidationError("--pace", text +
                                               " is not allowed; allowed: window, none, or a "
                                               "whole number of " +
                                               units + " a second");
    }
  };
  command
      .add_option_function<std::string>("--pace", set,
                                        "window (half a ring of credit), none (a flood), or " +
                                            units + " a second of all senders")
      ->default_str("window");
}

}  // namespace lambdacast::bench
