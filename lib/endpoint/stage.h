// What an lcore polls: the four stages, and the application between ordering and rate control.
#pragma once

#include <cstdint>

#include "base/cacheline.h"
#include "endpoint/endpoint_core.h"

namespace lambdacast::dataplane {

using endpoint::StageCounters;

// On line pairs of its own: what one lcore counts in its stages is on no line that another writes.
class alignas(base::kCacheLinePairBytes) Stage {
 public:
  virtual ~Stage() = default;
  // The same word in file, counter, console, telemetry and documentation.
  [[nodiscard]] virtual const char* name() const = 0;
  // Moves at most one burst; never waits. Returns the packets taken in: 0 is an empty poll.
  virtual uint32_t poll(uint64_t now_ns) = 0;
};

}  // namespace lambdacast::dataplane
