// SPDX-License-Identifier: BSD-3-Clause
// An algorithm by the engine (congest/engine.h) on switches over the links of a graph, under a
// virtual clock: from the first frame until the last is acknowledged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "congest/engine.h"
#include "congest/graph.h"
#include "sim/fabrics/network.h"
#include "sim/fabrics/trace_lines.h"

namespace lambdacast::sim::fabrics {

// One engine a switch, as the protocol of a Network.
template <typename Engine>
class Switches {
 public:
  using Frame = congest::Frame;
  using Turn = typename Network<Switches>::Turn;

  void add(Engine engine) { engines_.push_back(std::move(engine)); }
  void on_frame(Turn& turn, size_t port, const Frame& frame) {
    act(turn,
        [&](Engine& engine, auto& send) { engine.on_frame(port, frame, turn.now_ns(), send); });
  }
  void on_timer(Turn& turn) {
    act(turn, [&](Engine& engine, auto& send) { engine.on_timer(turn.now_ns(), send); });
  }
  void start(Turn& turn) {
    act(turn, [](Engine& engine, auto& send) { engine.start(send); });
  }
  [[nodiscard]] uint64_t next_deadline_ns(congest::NodeId node) const {
    return engines_[node].next_deadline_ns();
  }
  [[nodiscard]] const Engine& at(congest::NodeId node) const { return engines_[node]; }
  [[nodiscard]] uint64_t last_end_ns() const { return last_end_ns_; }

 private:
  template <typename Act>
  void act(Turn& turn, Act act) {
    auto send = [&](size_t port, const Frame& frame) {
      return turn.send(port, frame, congest::kFrameBits);
    };
    Engine& engine = engines_[turn.node()];
    const bool ended = engine.ended();
    act(engine, send);
    if (engine.ended() && !ended) last_end_ns_ = turn.now_ns();
  }
  uint64_t last_end_ns_ = 0;
  std::vector<Engine> engines_;  // by node
};

struct CongestSetting {
  MediumConfig medium;
  congest::TransportConfig transport;
  uint64_t seed = 0;  // of the algorithm
  uint64_t medium_seed = 0;
  uint64_t most_events = 100'000'000;
  TraceSink trace{};  // gets a line a frame
};

template <typename Algorithm>
struct CongestRun {
  std::vector<std::optional<typename Algorithm::Result>> results;  // by node; none: it has failed
  bool ended = false;     // at all switches, and nothing is on its way
  uint64_t end_ns = 0;    // when the last switch has ended
  uint64_t rounds = 0;    // of the switch with most
  uint64_t messages = 0;  // of the algorithm, sent once each
  uint64_t frames = 0;    // all, acknowledgements and repetitions among them
  uint64_t events = 0;
  uint64_t trace = 0;  // a hash of when each frame went by which link
};

// `place(node)`: the synchroniser's configuration of that switch.
template <typename Engine, typename Place>
[[nodiscard]] CongestRun<typename Engine::Algorithm> run_congest(
    const congest::LiveGraph& live, const typename Engine::Algorithm::Config& config, Place place,
    const CongestSetting& setting) {
  const congest::Graph& graph = live.graph();
  Switches<Engine> switches;
  for (congest::NodeId node = 0; node < graph.nodes(); ++node) {
    switches.add(Engine(congest::NodeView(live, node), config, place(node), setting.transport,
                        setting.seed));
  }
  Network<Switches<Engine>> network(graph, setting.medium, switches, setting.medium_seed);
  if (setting.trace) {
    network.trace_by([&](congest::ArcId arc, const Transit& transit, const congest::Frame& frame) {
      setting.trace(trace_line(graph, arc, transit, text_of(frame)));
    });
  }
  for (congest::NodeId node = 0; node < graph.nodes(); ++node)
    if (!live.alive(node)) network.fail_node(node);
  for (congest::ArcId arc = 0; arc < graph.arcs(); ++arc)
    if (!live.carries(arc)) network.fail_link(graph.link_of(arc));
  for (congest::NodeId node = 0; node < graph.nodes(); ++node)
    if (live.alive(node)) network.turn(node, [&](auto& turn) { switches.start(turn); });
  CongestRun<typename Engine::Algorithm> run;
  while (!network.idle() && network.handled() < setting.most_events) network.step();
  run.end_ns = switches.last_end_ns();
  run.frames = network.sent();
  run.events = network.handled();
  run.trace = network.trace();
  run.ended = network.idle();
  for (congest::NodeId node = 0; node < graph.nodes(); ++node) {
    const Engine& engine = switches.at(node);
    run.ended &= engine.ended() || !live.alive(node);
    run.rounds = std::max(run.rounds, engine.rounds());
    run.messages += engine.messages();
    run.results.push_back(live.alive(node) ? std::optional(engine.algorithm().result())
                                           : std::nullopt);
  }
  return run;
}

}  // namespace lambdacast::sim::fabrics
