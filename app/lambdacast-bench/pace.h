// SPDX-License-Identifier: BSD-3-Clause
// How fast a benchmark's senders go: the option --pace.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace lambdacast::bench {

struct Pace {
  enum class Kind : uint8_t {
    kWindow,  // benchmark-only credit: never more than half a ring ahead of the slowest receiver
    kNone,    // as fast as the senders can: a flood
    kRate,    // so many a second, all senders together
  };
  Kind kind = Kind::kWindow;
  uint64_t per_second = 0;  // with Kind::kRate

  [[nodiscard]] std::string text() const;
};

// units: what a rate counts, "packets" or "messages".
void add_pace_option(CLI::App& command, Pace& pace, const std::string& units);

}  // namespace lambdacast::bench
