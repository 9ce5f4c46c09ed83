// SPDX-License-Identifier: BSD-3-Clause
// Events beside the data on a real network: address resolution, address defence and group
// membership (lib/neighbor). The list, with a sentence for each, is neighbor_event.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lambdacast::counters {

enum class NeighborEvent : uint8_t {
#define LAMBDACAST_NEIGHBOR_EVENT(name, help) k##name,
#include "counters/neighbor_event.def"
#undef LAMBDACAST_NEIGHBOR_EVENT
  kCount
};

inline constexpr size_t kNeighborEvents = static_cast<size_t>(NeighborEvent::kCount);

// The telemetry key, "solicitation_received", and one sentence. Never null; "invalid" and "Not a
// neighbor event." for a value outside the enum. Static storage.
[[nodiscard]] const char* name(NeighborEvent event);
[[nodiscard]] const char* help(NeighborEvent event);

// One writer, plain memory, as DropCounters.
struct NeighborCounters {
  std::array<uint64_t, kNeighborEvents> events{};

  void add(NeighborEvent event, uint64_t count = 1) { events[static_cast<size_t>(event)] += count; }
  [[nodiscard]] uint64_t operator[](NeighborEvent event) const {
    return events[static_cast<size_t>(event)];
  }
};

}  // namespace lambdacast::counters
