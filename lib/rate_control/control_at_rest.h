// SPDX-License-Identifier: BSD-3-Clause
// An endpoint sends something even when nothing happens: its signs of life, as a member and as a
// sender, and the statuses of all the streams that it hears. An endpoint without a share has to
// have room for that: nodes that cannot say in time that they live suspect each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/control/control.h"
#include "wire/control/view_control.h"

namespace lambdacast::rate_control {

struct ControlAtRest {
  size_t nodes = 0;                  // of the fabric, the endpoint included
  uint64_t member_heartbeat_ns = 0;  // between two signs of life of a member
  uint64_t heartbeat_ns = 0;         // between two of a sender
  uint64_t suspect_after_ns = 0;     // of silence; every stream has four statuses in that time
};

// Bits a second on the wire.
inline uint64_t bits_per_second(const ControlAtRest& control) {
  const auto bps = [](size_t payload, uint64_t interval_ns) {
    constexpr uint64_t kHeaders = 110;  // IPv6 and all that base::wire_bytes() counts
    return (payload + kHeaders) * 8 * 1'000'000'000 / interval_ns;
  };
  const size_t status = wire::kControlHeaderBytes + control.nodes * wire::kStatusEntryBytes;
  return bps(wire::kMemberBytes, control.member_heartbeat_ns) +
         bps(wire::kHeartbeatBytes, control.heartbeat_ns) +
         bps(status, control.suspect_after_ns / 4);
}

}  // namespace lambdacast::rate_control
