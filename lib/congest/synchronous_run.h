// SPDX-License-Identifier: BSD-3-Clause
// The reference: an algorithm in rounds, without a network. What it says of a seed is what the
// engine has to say of it on any network.
//
// All nodes that are alive are one component.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "congest/algorithm.h"
#include "congest/graph.h"

namespace lambdacast::congest {

template <typename Algorithm>
struct SynchronousRun {
  std::vector<std::optional<typename Algorithm::Result>> results;  // by node; none: it has failed
  uint32_t phases = 0;
  uint32_t most_rounds = 0;  // of a phase
  uint32_t rounds = 0;       // of all phases
  uint64_t messages = 0;
};

// In which order a node sees the messages of a round. No state may hang on it.
enum class MessageOrder : uint8_t { kByPort, kByPortDescending };

namespace detail {

class ArcSink final : public MessageSink {
 public:
  explicit ArcSink(const Graph& graph) : graph_(graph), by_arc_(graph.arcs()) {}
  void of(NodeId node) { node_ = node; }
  void take(size_t port, const Message& message) override {
    auto& place = by_arc_[graph_.arc(node_, port)];
    if (place) throw std::logic_error("two messages in one round to one neighbour");
    place = message;
    ++messages_;
  }
  [[nodiscard]] std::optional<Message>& at(ArcId arc) { return by_arc_[arc]; }
  [[nodiscard]] uint64_t messages() const { return messages_; }

 private:
  const Graph& graph_;
  NodeId node_ = 0;
  std::vector<std::optional<Message>> by_arc_;
  uint64_t messages_ = 0;
};

}  // namespace detail

// Throws std::length_error behind `limit` rounds.
template <typename Algorithm>
[[nodiscard]] SynchronousRun<Algorithm> run_synchronously(
    const LiveGraph& live, const typename Algorithm::Config& config, uint64_t seed,
    MessageOrder order = MessageOrder::kByPort, uint32_t limit = 1'000'000) {
  const Graph& graph = live.graph();
  SynchronousRun<Algorithm> run;
  std::vector<NodeView> views;
  std::vector<Algorithm> nodes;
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    views.emplace_back(live, node);
    nodes.emplace_back(views.back(), config);
  }
  detail::ArcSink sink(graph);
  RoundNumber at;
  for (bool ended = false; !ended;) {
    if (run.rounds++ == limit) throw std::length_error("the algorithm does not end");
    bool changed = false, more = false;
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      if (!live.alive(node)) continue;
      sink.of(node);
      Round round(at, seed, node, views[node].alive(), sink);
      nodes[node].on_round(round);
      changed |= round.sent() || nodes[node].active();
      more |= nodes[node].more();
    }
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      const size_t ports = graph.degree(node);
      for (size_t i = 0; i < ports; ++i) {
        const size_t port = order == MessageOrder::kByPort ? i : ports - 1 - i;
        auto& message = sink.at(graph.reverse(graph.arc(node, port)));
        if (message) nodes[node].on_message(port, *message);
        message.reset();
      }
    }
    run.most_rounds = std::max(run.most_rounds, at.round + 1);
    run.phases = at.phase + 1;
    ended = !changed && !more;
    at = changed ? RoundNumber{at.phase, at.round + 1} : RoundNumber{at.phase + 1, 0};
  }
  run.messages = sink.messages();
  for (NodeId node = 0; node < graph.nodes(); ++node)
    run.results.push_back(live.alive(node) ? std::optional(nodes[node].result()) : std::nullopt);
  return run;
}

}  // namespace lambdacast::congest
