// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/baseline_sundial.h"

#include "sim/fabrics/baseline_run.h"
#include "sim/fabrics/network.h"

namespace lambdacast::sim::fabrics {

namespace {

using congest::ArcId;
using congest::kNoPort;

constexpr uint64_t kNever = ~uint64_t{0};

bool ancestor(const Graph& graph, const ClockTree& tree, NodeId above, NodeId node) {
  for (;;) {
    if (node == above) return true;
    if (tree.places[node].parent == kNoPort) return false;
    node = graph.neighbors(node)[tree.places[node].parent];
  }
}

class SundialSwitches {
 public:
  struct Frame {
    bool second_root = false;
    WaveFrame wave;
  };
  using Turn = Network<SundialSwitches>::Turn;

  SundialSwitches(const Graph& graph, const ClockTree& tree, const SundialPlan& plan,
                  const ClockScenario& scenario, uint64_t patience_ns)
      : graph_(graph),
        plan_(plan),
        scenario_(scenario),
        patience_ns_(patience_ns),
        clocks_(graph, scenario),
        nodes_(graph.nodes()) {
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      Node& at = nodes_[node];
      at.father = tree.places[node].parent;
      at.to = tree.places[node].children;
      if (at.father == kNoPort) {
        at.tick_ns = 0;
        clocks_.time(node).lead();
      }
    }
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      if (plan.backup[node] == kNoPort) continue;
      const ArcId arc = graph.arc(node, plan.backup[node]);
      nodes_[graph.to(arc)].to.set(graph.port(graph.reverse(arc)));
    }
    change(tree.root, 0, true);
    for (NodeId node = 0; node < graph.nodes(); ++node)
      if (node != tree.root) change(node, 0, false);
  }

  void on_frame(Turn& turn, size_t port, const Frame& frame) {
    const NodeId node = turn.node();
    Node& at = nodes_[node];
    uint64_t due_ns = turn.now_ns() + scenario_.interval_ns + scenario_.slack_ns;
    if (port == plan_.backup[node]) at.backup_due_ns = due_ns;
    // The backup root's backup father is alive: the root is, too.
    if (at.doubts && port == plan_.backup[node]) turn_to_backup(node, turn.now_ns());
    if (port != at.father || at.tick_ns != kNever) return;
    // Below the backup root nobody turns before it has had the time to take over.
    if (plan_.below_backup_root[node] && node != plan_.backup_root) due_ns += patience_ns_;
    at.due_ns = due_ns;
    if (frame.second_root != at.second_root) {
      at.second_root = frame.second_root;
      change(node, turn.now_ns(), false);
    }
    clocks_.set(node, frame.wave, turn.now_ns());
    send_wave(turn);
  }
  void on_timer(Turn& turn) {
    const NodeId node = turn.node();
    Node& at = nodes_[node];
    const uint64_t now_ns = turn.now_ns();
    if (at.due_ns <= now_ns) {
      at.due_ns = kNever;
      if (node == plan_.backup_root && !at.turned) {
        at.doubts = true;
      } else if (!at.turned && plan_.backup[node] != kNoPort) {
        turn_to_backup(node, now_ns);
      }
    }
    if (at.doubts && (at.backup_due_ns <= now_ns || plan_.backup[node] == kNoPort)) {
      at.doubts = false;
      at.second_root = true;
      at.father = kNoPort;
      at.tick_ns = now_ns;
      clocks_.time(node).lead();
      change(node, now_ns, true);
    }
    if (at.tick_ns > now_ns) return;
    at.tick_ns = now_ns + scenario_.interval_ns;
    send_wave(turn);
  }
  [[nodiscard]] uint64_t next_deadline_ns(NodeId node) const {
    const Node& at = nodes_[node];
    return std::min({at.tick_ns, at.due_ns, at.doubts ? at.backup_due_ns : kNever});
  }
  [[nodiscard]] BaselineClocks& clocks() { return clocks_; }

 private:
  struct Node {
    size_t father = kNoPort;
    congest::Filter to;  // children, and those for whom it is the backup
    bool turned = false;
    bool doubts = false;  // the backup root: is it the link, or the root?
    bool second_root = false;
    uint64_t tick_ns = kNever;
    uint64_t due_ns = kNever;
    uint64_t backup_due_ns = 0;
  };
  void turn_to_backup(NodeId node, uint64_t now_ns) {
    Node& at = nodes_[node];
    at.doubts = false;
    at.turned = true;
    at.father = plan_.backup[node];
    change(node, now_ns, false);
  }
  void change(NodeId node, uint64_t now_ns, bool set) {
    const Node& at = nodes_[node];
    clocks_.log().tree(node,
                       {.tree = at.second_root ? 2u : 1u,
                        .father = at.father == kNoPort ? kNone : graph_.arc(node, at.father)},
                       clocks_.time(node), set, now_ns);
  }
  void send_wave(Turn& turn) {
    const Node& at = nodes_[turn.node()];
    const Frame frame{at.second_root, clocks_.wave(turn.node(), turn.now_ns())};
    congest::FilterPorts::each(at.to, [&](size_t port) {
      if (port != at.father) turn.send(port, frame, congest::kFrameBits);
    });
  }

  const Graph& graph_;
  const SundialPlan& plan_;
  const ClockScenario& scenario_;
  const uint64_t patience_ns_;
  BaselineClocks clocks_;
  std::vector<Node> nodes_;
};

}  // namespace

namespace {

// From the switches that are in it grows a backup tree over all `wanted`, each of which hangs at
// another neighbour than its father.
void grow(const Graph& graph, const ClockTree& tree, std::vector<bool> in,
          const std::vector<bool>& wanted, SundialPlan& plan) {
  std::vector<NodeId> reached;
  for (NodeId node = 0; node < graph.nodes(); ++node)
    if (in[node]) reached.push_back(node);
  for (size_t next = 0; next < reached.size(); ++next) {
    const NodeId node = reached[next];
    for (size_t port = 0; port < graph.degree(node); ++port) {
      const ArcId arc = graph.arc(node, port);
      const NodeId other = graph.to(arc);
      const size_t back = graph.port(graph.reverse(arc));
      if (in[other] || !wanted[other] || tree.places[other].parent == back) continue;
      in[other] = true;
      plan.backup[other] = back;
      reached.push_back(other);
    }
  }
}

}  // namespace

SundialPlan sundial_plan(const Fabric& fabric, const ClockTree& tree) {
  const Graph& graph = fabric.graph;
  SundialPlan plan{.backup_root = kNone,
                   .backup = std::vector<size_t>(graph.nodes(), kNoPort),
                   .below_backup_root = std::vector<bool>(graph.nodes())};
  // The first child of the root with a neighbour outside of its own subtree: if only its link to
  // the root fails, it hears from there that the root lives. Without such a child, the first.
  size_t outside = kNoPort;
  congest::FilterPorts::each(tree.places[tree.root].children, [&](size_t port) {
    if (outside != kNoPort) return;
    const NodeId child = graph.neighbors(tree.root)[port];
    if (plan.backup_root == kNone) plan.backup_root = child;
    for (size_t way = 0; way < graph.degree(child) && outside == kNoPort; ++way) {
      const NodeId other = graph.neighbors(child)[way];
      if (other != tree.root && !ancestor(graph, tree, child, other)) outside = way;
    }
    if (outside != kNoPort) plan.backup_root = child;
  });
  if (plan.backup_root == kNone) return plan;
  std::vector<bool> others(graph.nodes());
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    plan.below_backup_root[node] = ancestor(graph, tree, plan.backup_root, node);
    others[node] = !plan.below_backup_root[node] && node != tree.root;
  }
  grow(graph, tree, plan.below_backup_root, others, plan);
  grow(graph, tree, others, plan.below_backup_root, plan);
  plan.backup[plan.backup_root] = outside;
  return plan;
}

ClockRun run_sundial(const Fabric& fabric, const ClockTree& tree, const ClockScenario& scenario) {
  const SundialPlan plan = sundial_plan(fabric, tree);
  const uint64_t hop_ns =
      clock_settings(scenario, fabric.graph, tree.height).frame_ns + scenario.medium.propagation_ns;
  SundialSwitches switches(fabric.graph, tree, plan, scenario, 2 * (tree.height + 2) * hop_ns);
  Network<SundialSwitches> network(fabric.graph, scenario.medium, switches, scenario.seed);
  BaselineClocks& clocks = switches.clocks();
  clocks.fail(network);
  const uint64_t frames = network.sent();
  const ClockTrees failed = clocks.check(network.live());
  const uint64_t settled_ns = 6 * scenario.interval_ns;
  network.run_until(network.now_ns() + settled_ns +
                    (tree.height + 2) * 4 * network.medium().frame_ns(congest::kFrameBits));
  const ClockTrees trees = clocks.check(network.live());
  ClockRun run;
  run.flooded = !failed.wrong.empty();
  run.height = trees.height;
  run.frames = network.sent() - frames;
  run.events = network.handled();
  run.trace = network.trace();
  uint64_t end_ns = network.now_ns();
  if (run.flooded) {
    run.full_ns = kControllerNs;
    const bool covered = trees.wrong.empty();
    run.fast_ns = covered ? clocks.log().last_change_ns() - scenario.failure_ns : kControllerNs;
    // Nothing happens until the controller comes: clocks drift apart.
    if (!covered) end_ns = scenario.failure_ns + kControllerNs;
  }
  clocks.log().end(end_ns);
  run.peak_ns = clocks.log().peak_ns();
  return run;
}

}  // namespace lambdacast::sim::fabrics
