// SPDX-License-Identifier: BSD-3-Clause
// The counters of a device. Guarded by the device's lock.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>

#include "counters/drop_reason.h"

namespace lambdacast::verbs {

enum class Counter : uint8_t {
#define LAMBDACAST_VERBS_COUNTER(name, help) k##name,
#include "counters.def"
#undef LAMBDACAST_VERBS_COUNTER
  kCount
};

struct VerbsCounters {
  std::array<uint64_t, static_cast<size_t>(Counter::kCount)> values{};
  counters::DropCounters drops;

  void add(Counter counter, uint64_t n = 1) { values[static_cast<size_t>(counter)] += n; }
  [[nodiscard]] uint64_t operator[](Counter counter) const {
    return values[static_cast<size_t>(counter)];
  }
};

// "frames_sent 12": a line each; drop reasons only where there were any, as "drop_bad_icrc 1".
void write(std::ostream& out, const VerbsCounters& counters);

}  // namespace lambdacast::verbs
