// SPDX-License-Identifier: BSD-3-Clause
#include "sim/rivals/lcr.h"

#include <algorithm>

namespace lambdacast::sim::rivals {

Lcr::Lcr(uint32_t nodes, const FrameSizes& sizes, Delivered delivered)
    : sizes_(sizes), delivered_(std::move(delivered)), nodes_(nodes) {
  for (Node& node : nodes_) node.clock.resize(nodes);
}

// A message counts itself in its clock: it is number clock[sender] - 1.
bool Lcr::is_first(const Pending& one, const Pending& other) {
  const uint32_t a = one.message.sender;
  const uint32_t b = other.message.sender;
  if (a <= b) return (*one.clock)[a] <= (*other.clock)[a];
  return (*other.clock)[b] > (*one.clock)[b];
}

void Lcr::insert(Node& node, Pending pending) {
  auto at = node.pending.end();
  while (at != node.pending.begin() && is_first(pending, *std::prev(at))) --at;
  node.pending.insert(at, std::move(pending));
}

void Lcr::stabilise(Node& node, const Message& message) {
  const auto found = std::find_if(node.pending.begin(), node.pending.end(),
                                  [&](const Pending& each) { return each.message == message; });
  if (found != node.pending.end()) found->stable = true;
}

void Lcr::deliver(uint32_t node, uint64_t now_ns) {
  std::list<Pending>& pending = nodes_[node].pending;
  while (!pending.empty() && pending.front().stable) {
    const Message message = pending.front().message;
    pending.pop_front();
    delivered_(node, message, now_ns);
  }
}

void Lcr::on_frame(uint32_t index, const Frame& frame, uint64_t now_ns) {
  Node& node = nodes_[index];
  const uint32_t sender = frame.message.sender;
  const bool last = index == before(sender);  // that the message comes to
  if (frame.acknowledges) {
    stabilise(node, frame.message);
    if (index != before(before(sender))) node.forward.push_back(frame);
  } else {
    insert(node, {frame.message, frame.clock, false});
    node.forward.push_back({last, frame.message, frame.clock});
  }
  deliver(index, now_ns);
}

std::optional<Outgoing<Lcr::Frame>> Lcr::next(uint32_t index, uint64_t now_ns) {
  Node& node = nodes_[index];
  const bool own = node.own != 0 && (node.forward.empty() || node.passed + 2 >= size());
  if (own) {
    --node.own;
    node.passed = 0;
    const Message message{index, node.clock[index]++};
    auto clock = std::make_shared<const std::vector<uint32_t>>(node.clock);
    insert(node, {message, clock, false});
    return Outgoing<Frame>{{false, message, std::move(clock)}, after(index), sizes_.message};
  }
  if (node.forward.empty()) return std::nullopt;
  Frame frame = std::move(node.forward.front());
  node.forward.pop_front();
  const uint32_t sender = frame.message.sender;
  if (!frame.acknowledges || index == before(sender)) node.clock[sender] = (*frame.clock)[sender];
  if (frame.acknowledges) {
    if (index == before(sender)) stabilise(node, frame.message);
    deliver(index, now_ns);
    return Outgoing<Frame>{std::move(frame), after(index), sizes_.control};
  }
  ++node.passed;
  return Outgoing<Frame>{std::move(frame), after(index), sizes_.message};
}

}  // namespace lambdacast::sim::rivals
