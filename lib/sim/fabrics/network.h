// SPDX-License-Identifier: BSD-3-Clause
// Switches of one protocol on the links of a graph, under a virtual clock. Equal protocol, graph
// and seed give equal runs.
//
// A protocol is one object for all switches:
//
//   using Frame = ...;                                             what travels, copied
//   void on_frame(Turn&, size_t port, const Frame&);               it came by that port
//   void on_timer(Turn&);                                          its deadline has come
//   uint64_t next_deadline_ns(congest::NodeId node) const;         kNever: none
//
// where Turn is Network<Protocol>::Turn: one switch's, which knows the time and sends by that
// switch's ports. Deadlines are asked for behind each turn, of the switch whose turn it was.
//
//   Network<Protocol> network(graph, {.loss = 1e-3}, protocol, seed);
//   network.turn(root, [](auto& turn) { ... });    begins something at a switch
//   network.run_until(1'000'000);
//   network.fail_node(7);                          its frames on their way are lost too
//   network.run_until(2'000'000);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "congest/graph.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/node_clock.h"
#include "sim/fabrics/medium.h"

namespace lambdacast::sim::fabrics {

template <typename Protocol>
class Network {
 public:
  using Frame = typename Protocol::Frame;
  using NodeId = congest::NodeId;
  using ArcId = congest::ArcId;
  // Sees each frame that is sent: its directed link, when it starts and has left, and its bits.
  using Watcher = std::function<void(ArcId arc, const Transit& transit, uint64_t bits)>;
  // The same, and what is in the frame.
  using Tracer = std::function<void(ArcId arc, const Transit& transit, const Frame& frame)>;

  class Turn {
   public:
    Turn(Network& network, NodeId node) : network_(network), node_(node) {}
    [[nodiscard]] NodeId node() const { return node_; }
    [[nodiscard]] uint64_t now_ns() const { return network_.now_ns_; }
    // All ports, those whose links have failed among them.
    [[nodiscard]] size_t ports() const { return network_.graph_.degree(node_); }
    // Returns when the frame has left the switch, behind those that wait before it.
    uint64_t send(size_t port, const Frame& frame, uint64_t bits) {
      return network_.send(network_.graph_.arc(node_, port), frame, bits);
    }

   private:
    Network& network_;
    const NodeId node_;
  };

  // `graph` and `protocol` outlive it.
  Network(const congest::Graph& graph, const MediumConfig& medium, Protocol& protocol,
          uint64_t seed)
      : graph_(graph),
        live_(graph),
        protocol_(protocol),
        medium_(graph.arcs(), medium, seed),
        timers_(graph.nodes(), kNever) {
    for (NodeId node = 0; node < graph.nodes(); ++node) set_timer(node);
  }

  // Handles all events until that time, that time's among them.
  void run_until(uint64_t end_ns) {
    while (!events_.empty() && events_.next_ns() <= end_ns) step();
    now_ns_ = std::max(now_ns_, end_ns);
  }
  // Handles the next event; the time is that of the event.
  void step() {
    const auto entry = events_.pop();
    now_ns_ = entry.at_ns;
    ++handled_;
    if (entry.event.is_timer) {
      timer_comes(entry.event.place);
    } else {
      frame_comes(entry.event.place, entry.event.frame);
    }
  }
  [[nodiscard]] bool idle() const { return events_.empty(); }

  // Gives a switch a turn from outside, between two calls of run_until().
  template <typename Act>
  void turn(NodeId node, Act act) {
    Turn turn(*this, node);
    act(turn);
    set_timer(node);
  }
  // From now on nothing goes or comes there.
  void fail_node(NodeId node) { live_.fail_node(node); }
  void fail_link(congest::LinkId link) { live_.fail_link(link); }
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }
  void trace_by(Tracer tracer) { tracer_ = std::move(tracer); }

  [[nodiscard]] const congest::LiveGraph& live() const { return live_; }
  [[nodiscard]] const Medium& medium() const { return medium_; }
  [[nodiscard]] uint64_t now_ns() const { return now_ns_; }
  [[nodiscard]] uint64_t sent() const { return sent_; }        // frames
  [[nodiscard]] uint64_t handled() const { return handled_; }  // events
  // A hash of when each frame went by which link.
  [[nodiscard]] uint64_t trace() const { return trace_; }

 private:
  struct Event {
    uint32_t place = 0;  // arc of a frame, or node of a timer
    bool is_timer = false;
    Frame frame{};
  };

  uint64_t send(ArcId arc, const Frame& frame, uint64_t bits) {
    const Transit transit = medium_.send(arc, bits, now_ns_);
    ++sent_;
    trace_ = base::mix64(trace_ ^ arc ^ transit.start_ns << 20);
    if (watcher_) watcher_(arc, transit, bits);
    if (tracer_) tracer_(arc, transit, frame);
    for (unsigned copy = 0; copy < transit.copies; ++copy)
      events_.push(transit.at_ns[copy], {arc, false, frame});
    return transit.left_ns;
  }
  void frame_comes(ArcId arc, const Frame& frame) {
    if (!live_.carries(arc)) return;
    const NodeId node = graph_.to(arc);
    Turn turn(*this, node);
    protocol_.on_frame(turn, graph_.port(graph_.reverse(arc)), frame);
    set_timer(node);
  }
  // A deadline that has moved back since leaves its event where it is: most of them move with each
  // frame, and none of those costs an event.
  void timer_comes(NodeId node) {
    if (timers_[node] != now_ns_) return;  // there was an earlier one
    timers_[node] = kNever;
    if (!live_.alive(node)) return;
    if (protocol_.next_deadline_ns(node) <= now_ns_) {
      Turn turn(*this, node);
      protocol_.on_timer(turn);
    }
    set_timer(node);
  }
  void set_timer(NodeId node) {
    const uint64_t at_ns = protocol_.next_deadline_ns(node);
    if (at_ns >= timers_[node]) return;
    timers_[node] = std::max(at_ns, now_ns_);
    events_.push(timers_[node], {node, true, {}});
  }

  const congest::Graph& graph_;
  congest::LiveGraph live_;
  Protocol& protocol_;
  Medium medium_;
  EventQueue<Event> events_;
  std::vector<uint64_t> timers_;  // by node: when its timer's event comes
  Watcher watcher_;
  Tracer tracer_;
  uint64_t now_ns_ = 0;
  uint64_t sent_ = 0;
  uint64_t handled_ = 0;
  uint64_t trace_ = 0;
};

}  // namespace lambdacast::sim::fabrics
