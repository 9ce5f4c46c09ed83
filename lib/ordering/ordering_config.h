// SPDX-License-Identifier: BSD-3-Clause
// The settings of total order and reassembly. Times are in nanoseconds of the endpoint's own clock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.h"
#include "wire/control/transport.h"

namespace lambdacast::ordering {

// The engine that orders the domains of groups; the same at every node. The domain of rates has a
// sequencer.
enum class Order : uint8_t {
  kSequencer,  // of each domain a member of the view, by hash
  kRing,       // the site of one token
  kMixed       // the token site for the upper half of the domains, a sequencer for each other one
};

struct TotalOrderConfig {
  size_t max_peers = 0;         // streams are 0 .. max_peers - 1, and self: max_peers
  uint32_t stream_pkts = 1024;  // of each stream held at a time; at least the receive window
  uint32_t domains = 1024;      // a power of two, the same at every node; groups share them by hash
                                // (rate control has one more)
  uint32_t k = 1;               // K-resilient: more than so many members hold it
  uint64_t marks_every_ns = 0;  // between two packets of marks of a node, at least
  Order order = Order::kSequencer;
};

// A digest of what has to be the same at every node, of which nodes tell each other: nodes with
// different ones share no view. 0: sequencers order, and groups remember as many sessions as they
// do unless somebody says otherwise; releases that know of neither say the same.
inline constexpr uint32_t kUsualSessions = 256;
[[nodiscard]] inline uint16_t order_digest(Order order, uint32_t domains, uint32_t names,
                                           uint32_t sessions) {
  if (order == Order::kSequencer && sessions == kUsualSessions) return 0;
  const uint64_t all =
      uint64_t{domains} << 34 | uint64_t{names} << 2 | static_cast<uint64_t>(order);
  return static_cast<uint16_t>(1 + base::mix64(all ^ base::mix64(sessions)) % 0xffff);
}

struct ReassemblyConfig {
  uint32_t max_message_bytes = wire::kMaxMessageBytes;  // longer ones are refused
  uint16_t max_messages = 256;                          // begun or not yet released, at a time
  uint64_t timeout_ns = 100'000'000;                    // since the last fragment
  uint64_t recoverable_timeout_ns = 60'000'000'000;
  size_t memory_bytes = size_t{64} << 20;  // a power of two, at least twice the longest message
};

}  // namespace lambdacast::ordering
