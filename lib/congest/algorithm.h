// SPDX-License-Identifier: BSD-3-Clause
// The interface of a distributed algorithm of synchronous rounds: one object a switch, which sees
// one message at a time.
//
//   static constexpr const char* kName; static constexpr unsigned kBytes;   of a message
//   struct Config; struct Result;                        Result compares with ==
//   Algorithm(const NodeView& self, const Config& config);
//   void on_round(Round&);                               a round begins: computes and sends
//   void on_message(size_t port, const Message&);        sent by that neighbour in this round
//   bool active() const;      behind on_round: wants another round, although it has sent nothing
//   bool more() const;        in a round in which nobody sends or is active: wants another phase
//   Result result() const;
//
// Messages of one round come in any order, and the state behind them may not hang on it. A round in
// which nobody sends or is active ends the phase; if somebody wants more, the next phase begins,
// and else the run has ended. More rounds of a phase that has ended change nothing (alpha may run
// them).
//
// An algorithm has no loop over its ports: it has registers (incremental.h) and filters, and sends
// by them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.h"
#include "congest/filter.h"
#include "congest/graph.h"
#include "congest/message.h"

namespace lambdacast::congest {

inline constexpr size_t kNoPort = ~size_t{0};

// A switch knows itself and its neighbors, by port, before anything is said.
class NodeView {
 public:
  NodeView(const LiveGraph& live, NodeId id)
      : graph_(&live.graph()), id_(id), alive_(live.graph().degree(id)) {
    for (size_t port = 0; port < ports(); ++port) {
      if (!live.carries(graph().arc(id, port))) continue;
      alive_.set(port);
      ++degree_;
    }
  }
  // The ports that are alive as the switch knows it. The graph outlives it.
  NodeView(const Graph& graph, NodeId id, const Filter& alive)
      : graph_(&graph), id_(id), alive_(alive), degree_(FilterPorts::count(alive)) {}
  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] size_t nodes() const { return graph().nodes(); }
  // Those whose links have failed among them.
  [[nodiscard]] size_t ports() const { return graph().degree(id_); }
  [[nodiscard]] const Filter& alive() const { return alive_; }
  [[nodiscard]] size_t degree() const { return degree_; }  // ports that are alive
  [[nodiscard]] NodeId neighbor(size_t port) const { return graph().to(graph().arc(id_, port)); }
  [[nodiscard]] LinkId link(size_t port) const { return graph().link_of(graph().arc(id_, port)); }

 private:
  [[nodiscard]] const Graph& graph() const { return *graph_; }
  const Graph* graph_;
  NodeId id_;
  Filter alive_;
  size_t degree_ = 0;
};

// The place of a switch in a tree over all of them. The root has no parent.
struct TreePlace {
  size_t parent = kNoPort;
  Filter children;
  bool operator==(const TreePlace&) const = default;
};

// Takes the messages that an algorithm sends.
class MessageSink {
 public:
  virtual void take(size_t port, const Message& message) = 0;

 protected:
  ~MessageSink() = default;
};

// When a round is: its phase, its number within it, and the randomness that belongs to both.
struct RoundNumber {
  uint32_t phase = 0;
  uint32_t round = 0;
};

class Round {
 public:
  Round(RoundNumber at, uint64_t seed, NodeId node, const Filter& alive, MessageSink& sink)
      : at_(at), seed_(seed), node_(node), alive_(alive), sink_(sink) {}

  [[nodiscard]] uint32_t phase() const { return at_.phase; }
  [[nodiscard]] uint32_t number() const { return at_.round; }  // of its phase
  // Equal for equal seed, node, phase and round, whatever network the run is on.
  [[nodiscard]] uint64_t random() const {
    const uint64_t when = static_cast<uint64_t>(at_.phase) << 32 | at_.round;
    return base::mix64(base::mix64(base::mix64(seed_) ^ node_) ^ when);
  }
  // At most one message a port and round. What is sent to a port that has failed is lost.
  void send(size_t port, const Message& message) {
    if (!alive_.test(port)) return;
    sent_ = true;
    sink_.take(port, message);
  }
  void multicast(const Filter& filter, const Message& message) {
    FilterPorts::each(filter, [&](size_t port) { send(port, message); });
  }
  void broadcast(const Message& message) { multicast(alive_, message); }
  [[nodiscard]] bool sent() const { return sent_; }

 private:
  const RoundNumber at_;
  const uint64_t seed_;
  const NodeId node_;
  const Filter& alive_;
  MessageSink& sink_;
  bool sent_ = false;
};

}  // namespace lambdacast::congest
