// SPDX-License-Identifier: BSD-3-Clause
// Ring Paxos (Ring Paxos 2010) while nobody fails: a node sends its message to the coordinator,
// node 0, which numbers it and multicasts it. The first of floor(N / 2) acceptors votes, each
// passes the vote on to the next one once it has the message too, and the last to the coordinator,
// which is an acceptor itself: a majority has it then. The coordinator multicasts the decision,
// along with the next message if there is one. A vote is for all instances up to its own. Nodes
// deliver decided messages in the order of their numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "sim/rivals/broadcast.h"
#include "sim/rivals/switched_network.h"

namespace lambdacast::sim::rivals {

class RingPaxos {
 public:
  enum class Kind : uint8_t { kValue, kAccept, kVote, kDecision };
  struct Frame {
    Kind kind = Kind::kValue;
    Message message;
    uint64_t voted = 0;    // of a vote: for so many instances
    uint64_t decided = 0;  // of an accept and a decision: how many instances are
  };

  RingPaxos(uint32_t nodes, const FrameSizes& sizes, Delivered delivered);

  // The node has one more message to send.
  void broadcast(uint32_t node);

  void on_frame(uint32_t node, const Frame& frame, uint64_t now_ns);
  [[nodiscard]] std::optional<Outgoing<Frame>> next(uint32_t node, uint64_t now_ns);

  // Acceptors, the coordinator among them: a majority.
  [[nodiscard]] static uint32_t ring_size(uint32_t nodes) { return nodes / 2 + 1; }

 private:
  static constexpr uint32_t kCoordinator = 0;
  struct Node {
    uint32_t sent = 0;              // messages of its own
    std::deque<Message> values;     // to be sent: to the coordinator, or by it to all
    std::vector<Message> accepted;  // by instance
    uint64_t votes_heard = 0;       // instances that the acceptor before has voted for
    uint64_t voted = 0;             // instances that it has,
    uint64_t votes_said = 0;        // and has said so of
    uint64_t decided = 0;
    uint64_t delivered = 0;
  };
  [[nodiscard]] bool accepts(uint32_t node) const { return node < ring_size(size()); }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  void vote(uint32_t node);
  void deliver(uint32_t node, uint64_t now_ns);

  const FrameSizes sizes_;
  const Delivered delivered_;
  std::vector<Node> nodes_;
  uint64_t said_ = 0;  // decisions that the coordinator has multicast
};

}  // namespace lambdacast::sim::rivals
