// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/baseline_ptp.h"

#include <limits>
#include <tuple>

#include "sim/fabrics/baseline_run.h"
#include "sim/fabrics/network.h"

namespace lambdacast::sim::fabrics {

namespace {

using congest::ArcId;
using congest::kNoPort;

constexpr uint64_t kAnnounceNs = 51'200;  // 64 bytes at 10 Mb/s
constexpr uint64_t kTimeoutNs = 3 * kAnnounceNs;
constexpr uint64_t kForeignWindowNs = 4 * kAnnounceNs;
constexpr uint16_t kMostSteps = 255;
constexpr uint64_t kNever = ~uint64_t{0};

class PtpSwitches {
 public:
  struct Frame {
    bool announces = false;
    NodeId master = 0;
    uint16_t steps = 0;
    NodeId sender = 0;
    WaveFrame wave;
  };
  using Turn = Network<PtpSwitches>::Turn;

  PtpSwitches(const Graph& graph, const ClockTree& tree, const ClockScenario& scenario)
      : graph_(graph), tree_(tree), scenario_(scenario), clocks_(graph, scenario) {
    base::SplitMix64 random(base::mix64(scenario.seed ^ 0x1588));
    nodes_.resize(graph.nodes());
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      Node& at = nodes_[node];
      at.master = node;
      at.ports.resize(graph.degree(node));
      at.speaks_ns.resize(graph.degree(node));
      at.announce_ns = random.below(kAnnounceNs);
      clocks_.time(node).lead();
      change(node, 0);
    }
  }

  void on_frame(Turn& turn, size_t port, const Frame& frame) {
    Node& at = nodes_[turn.node()];
    if (frame.announces) {
      Foreign& foreign = at.ports[port];
      foreign = {frame.master, frame.steps, frame.sender, turn.now_ns(), foreign.heard_ns};
      if (port == at.slave) at.timeout_ns = turn.now_ns() + kTimeoutNs;
      return;
    }
    if (port != at.slave || frame.master != at.master) return;
    clocks_.set(turn.node(), frame.wave, turn.now_ns());
    send_wave(turn);
  }
  void on_timer(Turn& turn) {
    Node& at = nodes_[turn.node()];
    const uint64_t now_ns = turn.now_ns();
    if (at.timeout_ns <= now_ns) {
      at.ports[at.slave] = {};
      at.speaks_ns[at.slave] = now_ns;
      decide(turn.node(), now_ns);
    }
    if (at.announce_ns <= now_ns) {
      at.announce_ns = now_ns + kAnnounceNs;
      decide(turn.node(), now_ns);
      announce(turn);
    }
    if (at.wave_ns > now_ns) return;
    at.wave_ns = now_ns + scenario_.interval_ns;
    send_wave(turn);
  }
  [[nodiscard]] uint64_t next_deadline_ns(NodeId node) const {
    const Node& at = nodes_[node];
    return std::min({at.announce_ns, at.timeout_ns, at.wave_ns});
  }
  [[nodiscard]] BaselineClocks& clocks() { return clocks_; }
  // The latest time at which a port may speak as a master that had to wait.
  [[nodiscard]] uint64_t waited_until_ns() const { return waited_until_ns_; }
  [[nodiscard]] PtpPlace place(NodeId node) const {
    const Node& at = nodes_[node];
    PtpPlace place{at.master, at.steps, {}};
    for (size_t port = 0; port < at.ports.size(); ++port)
      place.ports.push_back(port == at.slave               ? PtpPortState::kSlave
                            : at.speaks_ns[port] == kNever ? PtpPortState::kPassive
                                                           : PtpPortState::kMaster);
    return place;
  }

 private:
  struct Foreign {
    NodeId master = 0;
    uint16_t steps = 0;
    NodeId sender = 0;
    uint64_t heard_ns = kNever;
    uint64_t heard_before_ns = kNever;
  };
  struct Node {
    NodeId master = 0;
    uint16_t steps = 0;
    size_t slave = kNoPort;
    uint64_t announce_ns = 0;
    uint64_t timeout_ns = kNever;
    uint64_t wave_ns = 0;  // kNever: it is no master of all
    std::vector<Foreign> ports;
    // By port: since when a master, or from when on one that has to wait; kNever: slave or passive.
    std::vector<uint64_t> speaks_ns;
  };
  // Less is better: data set comparison by priority, then by steps and sender.
  using Rank = std::tuple<uint64_t, uint16_t, NodeId>;
  [[nodiscard]] Rank rank(NodeId master, uint16_t steps, NodeId sender) const {
    return {master == tree_.root ? 0 : uint64_t{1} + master, steps, sender};
  }
  // Two announces within four intervals, and none of them too old.
  [[nodiscard]] static bool qualified(const Foreign& foreign, uint64_t now_ns) {
    return foreign.heard_before_ns != kNever && now_ns < foreign.heard_ns + kTimeoutNs &&
           now_ns <= foreign.heard_before_ns + kForeignWindowNs && foreign.steps < kMostSteps;
  }

  void decide(NodeId node, uint64_t now_ns) {
    Node& at = nodes_[node];
    Rank best = rank(node, 0, node);
    size_t slave = kNoPort;
    for (size_t port = 0; port < at.ports.size(); ++port) {
      const Foreign& foreign = at.ports[port];
      if (!qualified(foreign, now_ns)) continue;
      const Rank of_port =
          rank(foreign.master, static_cast<uint16_t>(foreign.steps + 1), foreign.sender);
      if (of_port >= best) continue;
      best = of_port;
      slave = port;
    }
    const NodeId master = slave == kNoPort ? node : at.ports[slave].master;
    const bool other = slave != at.slave || master != at.master;
    at.slave = slave;
    at.master = master;
    at.steps = std::get<1>(best);
    at.timeout_ns = slave == kNoPort ? kNever : at.ports[slave].heard_ns + kTimeoutNs;
    assign_ports(node, now_ns);
    if (!other) return;
    if (slave == kNoPort) {
      clocks_.time(node).lead();
      at.wave_ns = now_ns;
    } else {
      clocks_.time(node).follow(clocks_.log().local_ns(node, now_ns));
      at.wave_ns = kNever;
    }
    change(node, now_ns);
  }
  // A port is passive where the other end is nearer to the same master. A new master port waits
  // until what is news to this switch has come to all that are as near (9.2.6.11), but for one
  // whose master has fallen silent, and for those of a grandmaster.
  void assign_ports(NodeId node, uint64_t now_ns) {
    Node& at = nodes_[node];
    for (size_t port = 0; port < at.ports.size(); ++port) {
      const Foreign& foreign = at.ports[port];
      uint64_t& speaks_ns = at.speaks_ns[port];
      if (port == at.slave ||
          (qualified(foreign, now_ns) &&
           rank(foreign.master, foreign.steps, foreign.sender) < rank(at.master, at.steps, node)))
        speaks_ns = kNever;
      else if (at.slave == kNoPort)
        speaks_ns = std::min(speaks_ns, now_ns);
      else if (speaks_ns == kNever)
        speaks_ns = now_ns + (uint64_t{at.steps} + 1) * kAnnounceNs;
      if (speaks_ns != kNever) waited_until_ns_ = std::max(waited_until_ns_, speaks_ns);
    }
  }
  void change(NodeId node, uint64_t now_ns) {
    const Node& at = nodes_[node];
    clocks_.log().tree(node,
                       {.tree = uint64_t{1} + at.master,
                        .father = at.slave == kNoPort ? kNone : graph_.arc(node, at.slave)},
                       clocks_.time(node), at.slave == kNoPort, now_ns);
  }
  void announce(Turn& turn) {
    const Node& at = nodes_[turn.node()];
    for (size_t port = 0; port < at.ports.size(); ++port)
      if (at.speaks_ns[port] <= turn.now_ns())
        turn.send(port, {true, at.master, at.steps, turn.node(), {}}, congest::kFrameBits);
  }
  void send_wave(Turn& turn) {
    const Node& at = nodes_[turn.node()];
    const Frame frame{false, at.master, 0, turn.node(), clocks_.wave(turn.node(), turn.now_ns())};
    for (size_t port = 0; port < at.ports.size(); ++port)
      if (at.speaks_ns[port] <= turn.now_ns()) turn.send(port, frame, congest::kFrameBits);
  }

  const Graph& graph_;
  const ClockTree& tree_;
  const ClockScenario& scenario_;
  BaselineClocks clocks_;
  std::vector<Node> nodes_;
  uint64_t waited_until_ns_ = 0;
};

// From nothing it takes as many announces as the tree has layers, and some more.
ClockScenario with_a_beginning(ClockScenario scenario, const ClockTree& tree) {
  scenario.failure_ns += (tree.height + 8) * 2 * kAnnounceNs;
  return scenario;
}

// Runs until the trees have been right for longer than whatever may still be noticed takes, and no
// port waits.
ClockTrees settle(Network<PtpSwitches>& network, PtpSwitches& switches, uint64_t limit_ns) {
  BaselineClocks& clocks = switches.clocks();
  ClockTrees trees;
  for (uint64_t at_ns = network.now_ns() + 2 * kTimeoutNs;; at_ns += kAnnounceNs) {
    network.run_until(at_ns);
    const uint64_t last_ns = std::max(clocks.log().last_change_ns(), switches.waited_until_ns());
    if (at_ns < last_ns + 2 * kTimeoutNs && at_ns < limit_ns) continue;
    trees = clocks.check(network.live());
    if (trees.wrong.empty() || at_ns >= limit_ns) return trees;
  }
}

}  // namespace

PtpStates ptp_states(const Fabric& fabric, const ClockTree& tree, const ClockScenario& given) {
  const ClockScenario scenario = with_a_beginning(given, tree);
  PtpSwitches switches(fabric.graph, tree, scenario);
  Network<PtpSwitches> network(fabric.graph, scenario.medium, switches, scenario.seed);
  switches.clocks().fail(network);
  PtpStates states{{}, settle(network, switches, scenario.limit_ns).wrong};
  for (NodeId node = 0; node < fabric.graph.nodes(); ++node)
    states.places.push_back(switches.place(node));
  return states;
}

ClockRun run_ptp(const Fabric& fabric, const ClockTree& tree, const ClockScenario& given) {
  const ClockScenario scenario = with_a_beginning(given, tree);
  PtpSwitches switches(fabric.graph, tree, scenario);
  Network<PtpSwitches> network(fabric.graph, scenario.medium, switches, scenario.seed);
  BaselineClocks& clocks = switches.clocks();
  clocks.fail(network);
  const uint64_t frames = network.sent();
  ClockRun run;
  const ClockTrees before = clocks.check(network.live());
  const ClockTrees trees = settle(network, switches, scenario.limit_ns);
  network.run_until(network.now_ns() + 2 * scenario.interval_ns);
  clocks.log().end(network.now_ns());
  run.flooded = clocks.log().last_change_ns() > scenario.failure_ns || !before.wrong.empty();
  if (run.flooded) run.full_ns = clocks.log().last_change_ns() - scenario.failure_ns;
  run.fast_ns = run.full_ns;
  run.peak_ns = clocks.log().peak_ns();
  run.height = trees.height;
  run.frames = network.sent() - frames;
  run.events = network.handled();
  run.trace = network.trace();
  if (!trees.wrong.empty()) run.violations.push_back(trees.wrong);
  return run;
}

}  // namespace lambdacast::sim::fabrics
