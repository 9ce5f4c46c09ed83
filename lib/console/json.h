// SPDX-License-Identifier: BSD-3-Clause
// Figures as programs read them: the values of a table as they are stored, with their units beside
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "telemetry/figure.h"

namespace lambdacast::console {

// {"subject": ..., "figures": {NAME: {"kind", "unit"}}, "rows": [{NAME: value}], "notes": [...]},
// without line feeds.
[[nodiscard]] std::string json_of(std::string_view subject, const telemetry::Table& table);

// {"text": ...}; "" of no text.
[[nodiscard]] std::string json_of_text(std::string_view text);

struct Event {
  uint64_t unix_ms = 0;
  std::string kind;      // one word
  std::string endpoint;  // whose; "": the process's
  std::string text;      // a sentence
};
// {"time_ms", "event", "endpoint", "text"}, without an endpoint where there is none.
[[nodiscard]] std::string event_json(const Event& event);

}  // namespace lambdacast::console
