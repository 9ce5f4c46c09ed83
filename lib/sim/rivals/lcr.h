// SPDX-License-Identifier: BSD-3-Clause
// LCR (LCR 2010) while nobody fails: nodes form a ring, and each sends to its successor
// alone. A message goes round to the node before its sender, which then lets an acknowledgement go
// round: who has that knows that all have the message. Vector clocks order messages without another
// word: of two messages the one whose sender comes first in the ring is first, unless the other's
// sender had not passed it on when it sent its own.
//
// A node passes frames on in the order in which they come, acknowledgements too, and puts one of
// its own between two rounds of the others': between N - 2 messages passed on, or when there is
// none. The last node puts the acknowledgement in the place of the message, which it counts and
// calls stable as it sends that: or what it sends itself meanwhile would come before and behind it.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/rivals/broadcast.h"
#include "sim/rivals/switched_network.h"

namespace lambdacast::sim::rivals {

class Lcr {
 public:
  // By node: the messages of each that had been passed on.
  using Clock = std::shared_ptr<const std::vector<uint32_t>>;
  struct Frame {
    bool acknowledges = false;
    Message message;
    Clock clock;
  };

  Lcr(uint32_t nodes, const FrameSizes& sizes, Delivered delivered);

  // The node has one more message to send.
  void broadcast(uint32_t node) { ++nodes_[node].own; }

  void on_frame(uint32_t node, const Frame& frame, uint64_t now_ns);
  [[nodiscard]] std::optional<Outgoing<Frame>> next(uint32_t node, uint64_t now_ns);

 private:
  struct Pending {
    Message message;
    Clock clock;
    bool stable = false;
  };
  struct Node {
    std::vector<uint32_t> clock;
    uint64_t own = 0;            // messages to be sent
    uint64_t passed = 0;         // messages of others, since the last one of its own
    std::deque<Frame> forward;   // to the successor
    std::list<Pending> pending;  // not delivered, in their order
  };
  [[nodiscard]] uint32_t after(uint32_t node) const { return node + 1 == size() ? 0 : node + 1; }
  [[nodiscard]] uint32_t before(uint32_t node) const { return node == 0 ? size() - 1 : node - 1; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  [[nodiscard]] static bool is_first(const Pending& one, const Pending& other);
  static void insert(Node& node, Pending pending);
  static void stabilise(Node& node, const Message& message);
  void deliver(uint32_t node, uint64_t now_ns);

  const FrameSizes sizes_;
  const Delivered delivered_;
  std::vector<Node> nodes_;
};

}  // namespace lambdacast::sim::rivals
