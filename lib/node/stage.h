// SPDX-License-Identifier: BSD-3-Clause
// What an lcore polls: the stages of its nodes, and the applications between ordering and
// rate_control.
#pragma once

#include <cstdint>

#include "base/cacheline.h"

namespace lambdacast::node {

// Aligned to line pairs: the state of one lcore's stage shares no line with that of another lcore.
class alignas(base::kCacheLinePairBytes) Stage {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};

  virtual ~Stage() = default;
  // The same word in file, counter, console, telemetry and documentation.
  [[nodiscard]] virtual const char* name() const = 0;
  // Moves at most one burst; never waits. Returns the packets taken in: 0 is an empty poll.
  virtual uint32_t poll(uint64_t now_ns) = 0;
  // When poll() has something to do although no link and no port has changed since the last one:
  // 0 (or a time that has passed) is at once, kNever is not before one of them does. Asked between
  // two polls, by whoever does not poll without end.
  [[nodiscard]] virtual uint64_t next_deadline_ns() const { return 0; }
};

}  // namespace lambdacast::node
