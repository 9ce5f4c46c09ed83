// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/clock_run.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "sim/fabrics/clock_series.h"
#include "sim/fabrics/clock_switches.h"
#include "sim/fabrics/graphs_figures.h"

namespace lambdacast::sim::fabrics {

using congest::ArcId;
using congest::LiveGraph;
using congest::TreePlace;

ClockTree tree_from(const LiveGraph& live, NodeId root) {
  const Graph& graph = live.graph();
  ClockTree tree{.root = root, .height = 0, .places = std::vector<TreePlace>(graph.nodes())};
  for (NodeId node = 0; node < graph.nodes(); ++node)
    tree.places[node].children = congest::Filter(graph.degree(node));
  std::vector<uint32_t> hops(graph.nodes(), kNone);
  hops[root] = 0;
  std::deque<NodeId> reached{root};
  for (; !reached.empty(); reached.pop_front()) {
    const NodeId node = reached.front();
    tree.height = hops[node];
    for (size_t port = 0; port < graph.degree(node); ++port) {
      const ArcId arc = graph.arc(node, port);
      if (!live.carries(arc) || hops[graph.to(arc)] != kNone) continue;
      hops[graph.to(arc)] = hops[node] + 1;
      tree.places[node].children.set(port);
      tree.places[graph.to(arc)].parent = graph.port(graph.reverse(arc));
      reached.push_back(graph.to(arc));
    }
  }
  return tree;
}

ClockTree lowest_tree(const Fabric& fabric) {
  const std::vector<uint32_t> far = eccentricities(fabric.graph);
  const auto layer = [&](NodeId node) { return fabric.clos() ? fabric.layer[node] : 0; };
  NodeId best = 0;
  for (NodeId node = 1; node < far.size(); ++node)
    if (far[node] < far[best] || (far[node] == far[best] && layer(node) > layer(best))) best = node;
  return tree_from(LiveGraph(fabric.graph), best);
}

clock_sync::Settings clock_settings(const ClockScenario& scenario, const Graph& graph,
                                    uint32_t height) {
  const MediumConfig& medium = scenario.medium;
  const auto takes_ns = [](uint64_t bps) {
    return bps == 0 ? 0 : (congest::kFrameBits * 1'000'000'000 + bps - 1) / bps;
  };
  clock_sync::Settings settings;
  settings.improvements = scenario.improvements;
  settings.speaks = scenario.speaks;
  settings.interval_ns = scenario.interval_ns;
  settings.frame_ns = takes_ns(medium.budget_bps);
  const bool occupies = medium.model == Model::kA;
  const uint64_t most_delay_ns = medium.delay > 0 ? medium.most_delay_ns : 0;
  settings.hop_ns =
      (occupies ? settings.frame_ns : takes_ns(medium.line_bps)) + medium.propagation_ns;
  // The port of who is asked may have to wait for its turn. If frames occupy the link, the one that
  // keeps it busy is a sign of life itself, and comes no later. The last 100 ns are to spare: an
  // answer may wait for a part of them (Settings::answer_wait_ns).
  settings.reply_ns =
      2 * (settings.hop_ns + most_delay_ns) + (occupies ? 0 : settings.frame_ns) + 100;
  settings.timeout_ns = 3 * (2 * settings.frame_ns + 2 * medium.propagation_ns) + 2 * most_delay_ns;
  settings.slack_ns = scenario.slack_ns + most_delay_ns;
  settings.grace_ns = 8 * (settings.frame_ns + settings.hop_ns) + most_delay_ns;
  settings.patience_ns = settings.interval_ns + settings.grace_ns;
  settings.silence_ns =
      20 * settings.interval_ns + 8 * (height + 2) * (settings.frame_ns + settings.hop_ns);
  settings.probes = scenario.probes != 0 ? scenario.probes
                                         : clock_sync::least_probes(medium.loss, graph.nodes() - 1,
                                                                    scenario.interval_ns);
  settings.base_ns = scenario.base_ns;
  settings.drift = scenario.drift;
  settings.candidates = scenario.candidates;
  settings.nodes = graph.nodes();
  settings.seed = scenario.seed;
  return settings;
}

namespace {

class Run {
 public:
  Run(const Fabric& fabric, const ClockTree& tree, const ClockScenario& scenario)
      : graph_(fabric.graph),
        scenario_(scenario),
        settings_(clock_settings(scenario, graph_, tree.height)),
        log_(graph_, draw_rates(graph_.nodes(), scenario.drift, scenario.seed),
             {.base_ns = scenario.base_ns,
              .drift = scenario.drift,
              .checks_bound = scenario.medium.delay == 0}),
        switches_(graph_, settings_, log_, scenario.seed),
        series_(graph_.arcs(), scenario.bin_ns) {
    for (NodeId node = 0; node < graph_.nodes(); ++node)
      switches_.install(node, {.generation = 0, .time_ns = -1, .address = tree.root}, tree.root,
                        tree.places[node], 0);
    network_.emplace(graph_, scenario.medium, switches_, scenario.seed);
    network_->watch([this](ArcId arc, const Transit& transit, uint64_t bits) {
      // A port has one frame a frame time: none waits in front of its link.
      if (transit.start_ns != network_->now_ns()) ++too_fast_;
      series_.frame(arc, transit.start_ns, bits);
    });
    if (!scenario.trace) return;
    network_->trace_by([this](ArcId arc, const Transit& transit, const auto& frame) {
      scenario_.trace(trace_line(graph_, arc, transit, text_of(frame.frame)));
    });
  }

  [[nodiscard]] ClockRun run() {
    go_to(scenario_.failure_ns);
    run_.normal_ns = log_.pair_ns(scenario_.failure_ns);
    const uint64_t frames = network_->sent();
    log_.failure(scenario_.failure_ns);
    for (const Failure& failure : in_order(scenario_.failures)) fail(failure);
    mend();
    run_.frames = network_->sent() - frames;
    run_.events = network_->handled();
    run_.trace = network_->trace();
    run_.violations = log_.violations();
    for (NodeId node = 0; node < graph_.nodes(); ++node) run_.floods += switches_.at(node).floods();
    if (!wrong_.empty()) run_.violations.push_back(wrong_);
    if (too_fast_ != 0)
      run_.violations.push_back(std::to_string(too_fast_) + " frames beyond the budget");
    series_.take(run_.epsilon_ns, run_.busiest_bits);
    return std::move(run_);
  }

 private:
  void go_to(uint64_t to_ns) {
    while (series_.wanted() && series_.next_ns() <= to_ns) {
      network_->run_until(series_.next_ns());
      series_.sample(log_.pair_ns(series_.next_ns()));
    }
    network_->run_until(to_ns);
  }
  void fail(const Failure& failure) {
    go_to(std::max(network_->now_ns(), scenario_.failure_ns + failure.behind_ns));
    last_failure_ns_ = network_->now_ns();
    if (failure.node != kNone) {
      network_->fail_node(failure.node);
      log_.died(failure.node, network_->now_ns());
    } else {
      network_->fail_link(failure.link);
    }
  }
  [[nodiscard]] bool settled() const {
    for (NodeId node = 0; node < graph_.nodes(); ++node)
      if (network_->live().alive(node) && !switches_.at(node).settled()) return false;
    return true;
  }
  [[nodiscard]] ClockTrees check() const {
    std::vector<ClockEnd> ends;
    for (NodeId node = 0; node < graph_.nodes(); ++node) ends.push_back(switches_.end(node));
    return check_clock_trees(network_->live(), ends, log_.first_flooded_ns() > last_failure_ns_);
  }
  // A failure that nobody has noticed yet looks like peace: peace has to last.
  void mend() {
    const uint64_t noticed_ns = 3 * settings_.interval_ns + settings_.probes * settings_.frame_ns +
                                settings_.reply_ns + settings_.slack_ns;
    uint64_t at_ns = network_->now_ns() + noticed_ns;
    ClockTrees trees;
    for (;; at_ns += settings_.interval_ns / 4) {
      go_to(at_ns);
      if (!settled() && at_ns < scenario_.limit_ns) continue;
      trees = check();
      if (trees.wrong.empty() || at_ns >= scenario_.limit_ns) break;
    }
    run_.height = trees.height;
    wrong_ = settled() ? trees.wrong : "it does not end; " + trees.wrong;
    run_.flooded = log_.last_flooded_ns() >= scenario_.failure_ns;
    if (run_.flooded) {
      run_.fast_ns = log_.last_flooded_ns() - scenario_.failure_ns;
      run_.full_ns = log_.last_change_ns() - scenario_.failure_ns;
    }
    waves_come();
    log_.end(network_->now_ns());
    run_.peak_ns = log_.peak_ns();
    if (scenario_.install_behind_ns != 0 && wrong_.empty()) install();
  }
  // The final tree's waves reach everybody; links that lose much take many waves to that end.
  void waves_come() {
    constexpr unsigned kMostWaves = 300;
    const uint64_t way_ns = (run_.height + 1) * (settings_.frame_ns + settings_.hop_ns);
    go_to(network_->now_ns() + 3 * settings_.interval_ns + way_ns);
    for (unsigned waves = 3; !log_.all_set() && waves < kMostWaves; ++waves)
      go_to(network_->now_ns() + settings_.interval_ns);
    if (wrong_.empty() && !log_.all_set()) wrong_ = "a wave of the tree has not come";
  }
  // A controller acts long behind the last failure: it knows what is alive, and gives each
  // component the lowest tree from the root that it has.
  void install() {
    const LiveGraph& live = network_->live();
    uint32_t generation = 0, height = 0;
    go_to(network_->now_ns() + scenario_.install_behind_ns);
    for (NodeId node = 0; node < graph_.nodes(); ++node)
      generation = std::max(generation, switches_.at(node).tree().name.generation + 1);
    const auto now_ns = static_cast<int64_t>(network_->now_ns());
    for (NodeId root = 0; root < graph_.nodes(); ++root) {
      if (!live.alive(root) || log_.place(root).father != kNone) continue;
      const ClockTree tree = tree_from(live, root);
      height = std::max(height, tree.height);
      for (NodeId node = 0; node < graph_.nodes(); ++node) {
        if (node != root && tree.places[node].parent == congest::kNoPort) continue;
        network_->turn(node, [&](auto& turn) {
          switches_.install(node, {.generation = generation, .time_ns = now_ns, .address = root},
                            root, tree.places[node], turn.now_ns());
        });
      }
    }
    run_.height = height;
    waves_come();
    const ClockTrees trees = check();
    if (wrong_.empty()) wrong_ = trees.wrong;
    if (wrong_.empty() && trees.height != height) wrong_ = "the controller's tree is another";
  }

  const Graph& graph_;
  const ClockScenario& scenario_;
  const clock_sync::Settings settings_;
  ClockLog log_;
  ClockSwitches switches_;
  std::optional<Network<ClockSwitches>> network_;
  uint64_t last_failure_ns_ = 0;
  uint64_t too_fast_ = 0;
  ClockSeries series_;
  std::string wrong_;
  ClockRun run_;
};

}  // namespace

ClockRun run_clock(const Fabric& fabric, const ClockTree& tree, const ClockScenario& scenario) {
  return Run(fabric, tree, scenario).run();
}

}  // namespace lambdacast::sim::fabrics
