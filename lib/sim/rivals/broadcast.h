// SPDX-License-Identifier: BSD-3-Clause
// What protocols of total order have in common for who measures them: messages of one size, and
// what becomes of each.
#pragma once

#include <cstdint>
#include <functional>

namespace lambdacast::sim::rivals {

struct Message {
  uint32_t sender = 0;
  uint32_t number = 0;  // of that sender's messages, from 0 on
  bool operator==(const Message&) const = default;
};

// Sizes on the wire, headers included.
struct FrameSizes {
  uint64_t message = 10'000;  // a whole one, in as many packets as it takes
  uint64_t control = 64;      // an acknowledgement, a vote, a decision
};

// A message is delivered at a node, in the node's order.
using Delivered = std::function<void(uint32_t node, const Message&, uint64_t now_ns)>;

}  // namespace lambdacast::sim::rivals
