// Who asks at once when a transmitter itself has lost a packet and all receivers miss it: per
// (sender, block of positions) the kFirstAskers receivers with the smallest hash. Everybody
// computes the same answer from the names alone; blocks share the work out (protocol-decisions,
// "NACK and repair").
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.h"
#include "wire/control.h"

namespace lambdacast::reliability {

inline constexpr size_t kFirstAskers = 8;
inline constexpr uint64_t kAskerBlock = 1024;  // positions

// Of a stream's source, whatever its incarnation.
[[nodiscard]] inline uint64_t name_hash(const wire::StreamName& name) {
  return base::mix64(wire::hash(name.gid) ^ name.qpn);
}

[[nodiscard]] inline uint64_t asker_rank(uint64_t receiver_hash, uint64_t sender_hash,
                                         uint64_t position) {
  return base::mix64(receiver_hash ^ base::mix64(sender_hash ^ (position / kAskerBlock)));
}

}  // namespace lambdacast::reliability
