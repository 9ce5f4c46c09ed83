// SPDX-License-Identifier: BSD-3-Clause
// Why a frame was refused. Nothing is dropped without one of these being counted; the list itself,
// with a sentence for each reason, is drop_reason.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/cacheline.h"

namespace lambdacast::counters {

enum class DropReason : uint8_t {
  kNone,  // not dropped
#define LAMBDACAST_DROP(name, help) k##name,
#include "counters/drop_reason.def"
#undef LAMBDACAST_DROP
  kCount
};

inline constexpr size_t kDropReasons = static_cast<size_t>(DropReason::kCount);

// The telemetry key: the enumerator in snake_case without its k, "bad_icrc". Never null; "invalid"
// for a value outside the enum. Static storage.
[[nodiscard]] const char* name(DropReason reason);

// One sentence for the console, with its full stop. Never null. Static storage.
[[nodiscard]] const char* help(DropReason reason);

// Frames refused, by reason. One writer, plain memory: only the lcore that owns it may touch it,
// and another thread reads a copy that the owner published. On its own cache lines, so that
// counting on one lcore slows no other.
struct alignas(base::kCacheLineBytes) DropCounters {
  std::array<uint64_t, kDropReasons> frames{};

  // `reason` < kCount. Counting kNone is allowed and counts the frames that passed.
  void add(DropReason reason, uint64_t count = 1) { frames[static_cast<size_t>(reason)] += count; }
  [[nodiscard]] uint64_t operator[](DropReason reason) const {
    return frames[static_cast<size_t>(reason)];
  }
  // All refusals; frames counted under kNone are not among them.
  [[nodiscard]] uint64_t total() const {
    uint64_t sum = 0;
    for (size_t i = 1; i < kDropReasons; ++i) sum += frames[i];
    return sum;
  }
};

}  // namespace lambdacast::counters
