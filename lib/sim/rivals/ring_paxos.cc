// SPDX-License-Identifier: BSD-3-Clause
#include "sim/rivals/ring_paxos.h"

#include <algorithm>

namespace lambdacast::sim::rivals {

RingPaxos::RingPaxos(uint32_t nodes, const FrameSizes& sizes, Delivered delivered)
    : sizes_(sizes), delivered_(std::move(delivered)), nodes_(nodes) {}

void RingPaxos::broadcast(uint32_t index) {
  Node& node = nodes_[index];
  node.values.push_back({index, node.sent++});
}

// The first acceptor behind the coordinator votes for what it has; each other one also needs the
// vote of the one before it.
void RingPaxos::vote(uint32_t index) {
  Node& node = nodes_[index];
  node.voted = index == 1 ? node.accepted.size()
                          : std::min<uint64_t>(node.votes_heard, node.accepted.size());
}

void RingPaxos::deliver(uint32_t index, uint64_t now_ns) {
  Node& node = nodes_[index];
  const uint64_t here = std::min<uint64_t>(node.decided, node.accepted.size());
  while (node.delivered < here) {
    const Message message = node.accepted[node.delivered++];
    delivered_(index, message, now_ns);
  }
}

void RingPaxos::on_frame(uint32_t index, const Frame& frame, uint64_t now_ns) {
  Node& node = nodes_[index];
  switch (frame.kind) {
    case Kind::kValue:
      node.values.push_back(frame.message);
      return;
    case Kind::kAccept:
      node.accepted.push_back(frame.message);
      if (accepts(index)) vote(index);
      break;
    case Kind::kVote:
      node.votes_heard = frame.voted;
      if (index == kCoordinator) {
        node.decided = node.votes_heard;
      } else {
        vote(index);
      }
      break;
    case Kind::kDecision:
      break;
  }
  node.decided = std::max(node.decided, frame.decided);
  deliver(index, now_ns);
}

std::optional<Outgoing<RingPaxos::Frame>> RingPaxos::next(uint32_t index, uint64_t) {
  Node& node = nodes_[index];
  if (index != kCoordinator) {
    if (node.votes_said != node.voted) {
      node.votes_said = node.voted;
      const uint32_t to = accepts(index + 1) ? index + 1 : kCoordinator;
      return Outgoing<Frame>{{Kind::kVote, {}, node.voted, 0}, to, sizes_.control};
    }
    if (node.values.empty()) return std::nullopt;
    const Message message = node.values.front();
    node.values.pop_front();
    return Outgoing<Frame>{{Kind::kValue, message, 0, 0}, kCoordinator, sizes_.message};
  }
  if (!node.values.empty()) {
    const Message message = node.values.front();
    node.values.pop_front();
    node.accepted.push_back(message);
    said_ = node.decided;
    return Outgoing<Frame>{{Kind::kAccept, message, 0, said_}, kEverybody, sizes_.message};
  }
  if (said_ == node.decided) return std::nullopt;
  said_ = node.decided;
  return Outgoing<Frame>{{Kind::kDecision, {}, 0, said_}, kEverybody, sizes_.control};
}

}  // namespace lambdacast::sim::rivals
