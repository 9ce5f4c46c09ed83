// SPDX-License-Identifier: BSD-3-Clause
// Messages of rate control: what members of a view tell one another so that all compute the same
// shares. Group kRateGroup, totally resilient, never coalesced or in fragments; the domain is one
// of their own. Behind the transport header, big-endian:
//
//   0  type 1     1  zero 7
// kAnnounce, of each member about itself. Bits a second on the wire, 1e6 .. 1.6e12; 0: no limit,
// but of the need: nothing
//    8  need: what it has to send     16  line: what its transmitter does
//   24  room: what it receives in all, less its reserve     32  each: the same, of one transmitter
//   40  reserve: what it keeps of its capacity for control and for those outside the view
//   48  buffer: bytes that may wait in front of it
//   56  settled: the last event that all are known to have acknowledged: epoch 8     64  event 8
// kReserve, of the first member of those who stayed
//    8  what members that have departed may still send, in sum
//   16  settled, as above: epoch 8     24  event 8
// A longer message of either type is from a later version: what follows is ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "base/node_set.h"
#include "wire/control/reserved_groups.h"

namespace lambdacast::wire {

inline constexpr uint64_t kLeastBps = 1'000'000;
inline constexpr uint64_t kMostBps = 1'600'000'000'000;
// Each of a view's members may have had the fastest line.
inline constexpr uint64_t kMostDepartedBps = base::NodeSet::kCapacity * kMostBps;
inline constexpr size_t kAnnounceBytes = 72;
inline constexpr size_t kReserveBytes = 32;

// An event of rate control: the announcements of a view, numbered from 1 in their order; 0 is the
// view's beginning.
struct RateEvent {
  uint64_t epoch = 0;
  uint64_t event = 0;

  auto operator<=>(const RateEvent&) const = default;
};

struct RateAnnouncement {
  uint64_t need_bps = 0;
  uint64_t line_bps = 0;
  uint64_t room_bps = 0;
  uint64_t each_bps = 0;
  uint64_t reserve_bps = 0;
  uint64_t buffer_bytes = 0;
  RateEvent settled;

  bool operator==(const RateAnnouncement&) const = default;
};

struct RateReserve {
  uint64_t departed_bps = 0;
  RateEvent settled;

  bool operator==(const RateReserve&) const = default;
};

using RateMessage = std::variant<std::monostate, RateAnnouncement, RateReserve>;

// std::monostate: it is none of these, or a field has a value that it cannot have. Every node then
// ignores it alike, since this depends on the bytes alone.
[[nodiscard]] RateMessage load_rate_message(std::span<const uint8_t> payload);

// `out` has kAnnounceBytes, or kReserveBytes.
void store_rate_announcement(const RateAnnouncement& announcement, uint8_t* out);
void store_rate_reserve(const RateReserve& reserve, uint8_t* out);

}  // namespace lambdacast::wire
