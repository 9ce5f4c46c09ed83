// SPDX-License-Identifier: BSD-3-Clause
// Nodes of one protocol on the links of a topology, under a virtual clock. Equal protocol, topology
// and seed give equal runs, to the last bit of the trace's hash.
//
// A protocol is one object for all nodes:
//
//   using Frame = ...;                                           what travels, copied
//   void on_frame(uint32_t link, const Frame&, Turn&);           it came by that link
//   void on_timer(Turn&);                                        its deadline has come
//   uint64_t next_deadline_ns(uint32_t node) const;              kNever: none
//
// A turn is one node's: it knows the time and sends by that node's links. Deadlines are asked for
// behind each turn, of the node whose turn it was.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine/event_queue.h"
#include "sim/engine/links.h"
#include "sim/engine/node_clock.h"
#include "sim/engine/topology.h"
#include "sim/engine/trace.h"

namespace lambdacast::sim {

template <typename Protocol>
class Network {
 public:
  using Frame = typename Protocol::Frame;

  class Turn {
   public:
    Turn(Network& network, uint32_t node) : network_(network), node_(node) {}
    [[nodiscard]] uint32_t node() const { return node_; }
    [[nodiscard]] uint64_t now_ns() const { return network_.now_ns_; }
    // `link` begins at the node.
    void send(uint32_t link, Frame frame, uint64_t bits) {
      network_.send(link, std::move(frame), bits);
    }

   private:
    Network& network_;
    const uint32_t node_;
  };

  // `topology` and `protocol` outlive it.
  Network(const Topology& topology, const LinkConfig& links, Protocol& protocol, uint64_t seed)
      : topology_(topology),
        protocol_(protocol),
        links_(topology, links, seed),
        trace_(now_ns_, seed),
        timers_(topology.nodes()) {
    for (uint32_t node = 0; node < topology.nodes(); ++node) set_timer(node);
  }

  // Handles all events until that time, that time's among them.
  void run_until(uint64_t end_ns) {
    while (!events_.empty() && events_.next_ns() <= end_ns) {
      auto entry = events_.pop();
      now_ns_ = entry.at_ns;
      handle(std::move(entry.event));
    }
    now_ns_ = end_ns;
  }
  // Looks at the deadline of a node that was changed from outside, between two calls of
  // run_until().
  void poke(uint32_t node) { set_timer(node); }
  [[nodiscard]] Links& links() { return links_; }
  [[nodiscard]] Trace& trace() { return trace_; }
  [[nodiscard]] uint64_t now_ns() const { return now_ns_; }
  [[nodiscard]] uint64_t frames() const { return frames_; }  // that have come

 private:
  static constexpr uint32_t kNoLink = ~uint32_t{0};
  struct Event {
    uint32_t node = 0;
    uint32_t link = kNoLink;  // kNoLink: the node's timer
    uint32_t cuts = 0;        // of the link, when the frame left
    Frame frame{};
  };
  struct Timer {
    uint64_t at_ns = kNever;
    EventId event;
  };

  void send(uint32_t link, Frame frame, uint64_t bits) {
    const auto at_ns = links_.send(link, bits, now_ns_);
    if (at_ns)
      events_.push(*at_ns, {topology_.at(link).to, link, links_.cuts(link), std::move(frame)});
  }
  void handle(Event event) {
    Turn turn(*this, event.node);
    trace_.add(now_ns_ ^ static_cast<uint64_t>(event.node) << 32 ^ event.link);
    if (event.link == kNoLink) {
      timers_[event.node] = {};
      protocol_.on_timer(turn);
    } else {
      if (event.cuts != links_.cuts(event.link)) return;
      ++frames_;
      protocol_.on_frame(event.link, event.frame, turn);
    }
    set_timer(event.node);
  }
  void set_timer(uint32_t node) {
    Timer& timer = timers_[node];
    const uint64_t at_ns = protocol_.next_deadline_ns(node);
    if (at_ns == timer.at_ns) return;
    if (timer.at_ns != kNever) events_.cancel(timer.event);
    timer.at_ns = at_ns;
    if (at_ns != kNever)
      timer.event = events_.push(std::max(at_ns, now_ns_), {node, kNoLink, 0, {}});
  }

  const Topology& topology_;
  Protocol& protocol_;
  uint64_t now_ns_ = 0;
  Links links_;
  Trace trace_;
  EventQueue<Event> events_;
  std::vector<Timer> timers_;  // by node
  uint64_t frames_ = 0;
};

}  // namespace lambdacast::sim
