// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/tree_run.h"

#include <algorithm>
#include <optional>

#include "clock_sync/settings.h"
#include "sim/fabrics/check_trees.h"
#include "sim/fabrics/clock_series.h"
#include "sim/fabrics/tree_switches.h"

namespace lambdacast::sim::fabrics {

trees::RepairSettings repair_settings(const TreeScenario& scenario, const congest::Graph& graph) {
  const MediumConfig& medium = scenario.medium;
  const auto takes_ns = [](uint64_t bps) {
    return bps == 0 ? 0 : (congest::kFrameBits * 1'000'000'000 + bps - 1) / bps;
  };
  const bool occupies = medium.model == Model::kA;
  const uint64_t most_delay_ns = medium.delay > 0 ? medium.most_delay_ns : 0;
  trees::RepairSettings settings;
  settings.improvements = scenario.improvements;
  settings.interval_ns = scenario.interval_ns;
  settings.frame_ns = takes_ns(medium.budget_bps);
  settings.hop_ns =
      (occupies ? settings.frame_ns : takes_ns(medium.line_bps)) + medium.propagation_ns;
  // The port of who is asked may have to wait for its turn, and another answer may be before.
  settings.reply_ns = 2 * (settings.hop_ns + settings.frame_ns + most_delay_ns) + 100;
  settings.timeout_ns = 3 * (2 * settings.frame_ns + 2 * medium.propagation_ns) + 2 * most_delay_ns;
  // A probe waits for the frame before it.
  settings.slack_ns = scenario.slack_ns + settings.frame_ns + most_delay_ns;
  // Every link is watched from both of its ends.
  settings.probes = scenario.probes != 0 ? scenario.probes
                                         : clock_sync::least_probes(medium.loss, graph.links(),
                                                                    scenario.interval_ns);
  settings.spanner_k = scenario.spanner_k;
  settings.seed = scenario.seed;
  return settings;
}

namespace {

class Run {
 public:
  Run(const Fabric& fabric, const trees::InstalledGroups& installed, const TreeScenario& scenario)
      : graph_(fabric.graph),
        scenario_(scenario),
        settings_(repair_settings(scenario, graph_)),
        installed_(installed),
        switches_(graph_, settings_, installed),
        network_(graph_, scenario.medium, switches_, scenario.seed),
        series_(graph_.arcs(), scenario.bin_ns) {
    network_.watch([this](congest::ArcId arc, const Transit& transit, uint64_t bits) {
      // A port has one frame a frame time: none waits in front of its link.
      if (transit.start_ns != network_.now_ns()) ++too_fast_;
      series_.frame(arc, transit.start_ns, bits);
    });
    if (!scenario.trace) return;
    network_.trace_by([this](congest::ArcId arc, const Transit& transit, const auto& frame) {
      scenario_.trace(trace_line(graph_, arc, transit, text_of(frame)));
    });
  }

  [[nodiscard]] TreeRun run() {
    network_.run_until(scenario_.failure_ns);
    const uint64_t frames = network_.sent();
    fail(scenario_.failures);
    run_.violations = mend(scenario_.limit_ns);
    run_.frames = network_.sent() - frames;
    note_figures();
    if (!scenario_.later.empty() && run_.violations.empty()) {
      install();
      fail(scenario_.later);
      run_.violations = mend(network_.now_ns() + scenario_.limit_ns);
    }
    run_.events = network_.handled();
    run_.trace = network_.trace();
    for (NodeId node = 0; node < graph_.nodes(); ++node) run_.floods += switches_.at(node).floods();
    if (too_fast_ != 0)
      run_.violations.push_back(std::to_string(too_fast_) + " frames beyond the budget");
    std::vector<double> none;
    series_.take(none, run_.busiest_bits);
    return std::move(run_);
  }

 private:
  void fail(const std::vector<Failure>& failures) {
    const uint64_t begin_ns = network_.now_ns();
    for (const Failure& failure : in_order(failures)) {
      network_.run_until(begin_ns + failure.behind_ns);
      if (failure.node != kNone) {
        network_.fail_node(failure.node);
      } else {
        network_.fail_link(failure.link);
      }
    }
  }
  // It tells one switch after the other.
  void install() {
    before_.emplace(network_.live());
    for (NodeId node = 0; node < graph_.nodes(); ++node) {
      if (!network_.live().alive(node)) continue;
      network_.run_until(network_.now_ns() + settings_.interval_ns / 4);
      network_.turn(node, [&](auto&) { switches_.install(node, installed_); });
    }
  }
  [[nodiscard]] bool settled() const {
    for (NodeId node = 0; node < graph_.nodes(); ++node) {
      if (!network_.live().alive(node)) continue;
      const trees::TreeCore& core = switches_.at(node);
      if (!core.quiet() || (core.name().exists() && !core.optimised())) return false;
    }
    return true;
  }
  // Returns what is wrong at the end. A failure that nobody has noticed yet looks like peace: peace
  // has to last.
  [[nodiscard]] std::vector<std::string> mend(uint64_t limit_ns) {
    const uint64_t noticed_ns = (settings_.probes + 2) * settings_.interval_ns +
                                settings_.probes * settings_.frame_ns + settings_.reply_ns +
                                settings_.slack_ns;
    std::vector<std::string> wrong;
    for (uint64_t at_ns = network_.now_ns() + noticed_ns;; at_ns += settings_.interval_ns / 4) {
      network_.run_until(at_ns);
      const bool over = at_ns >= limit_ns;
      if (!settled() && !over) continue;
      wrong = check_trees(network_.live(), cores(),
                          {.spanner_k = scenario_.checks_spanner ? scenario_.spanner_k : 0,
                           .above = scenario_.improvements.above,
                           .before = before_ ? &*before_ : nullptr});
      if (over && !settled()) wrong.push_back("it does not end");
      if (wrong.empty() || over) break;
    }
    return wrong;
  }
  void note_figures() {
    run_.flooded = switches_.last_mended_ns() >= scenario_.failure_ns;
    for (NodeId node = 0; node < graph_.nodes(); ++node) {
      if (network_.live().alive(node))
        run_.groups = std::max<uint64_t>(run_.groups, switches_.at(node).index().groups());
    }
    if (!run_.flooded) return;
    run_.fast_ns = switches_.last_mended_ns() - scenario_.failure_ns;
    run_.full_ns = switches_.last_optimised_ns() - scenario_.failure_ns;
    run_.links = links_a_packet();
  }
  // On average over the groups whose source lives.
  [[nodiscard]] double links_a_packet() const {
    uint64_t links = 0, groups = 0;
    const auto any = [&] {
      for (NodeId node = 0; node < graph_.nodes(); ++node)
        if (network_.live().alive(node) && switches_.at(node).index().groups() == run_.groups)
          return node;
      return congest::kNone;
    }();
    for (size_t group = 0; any != congest::kNone && group < run_.groups; ++group) {
      const NodeId source = switches_.at(any).index().group(group).source;
      if (!network_.live().alive(source) || switches_.at(source).name() != switches_.at(any).name())
        continue;
      links += recovery_path(network_.live(), cores(), scenario_.improvements.above, group, source)
                   .links;
      ++groups;
    }
    return groups == 0 ? 0 : double(links) / double(groups);
  }
  [[nodiscard]] TreeCores cores() const {
    return [this](NodeId node) -> const trees::TreeCore& { return switches_.at(node); };
  }

  const congest::Graph& graph_;
  const TreeScenario& scenario_;
  const trees::RepairSettings settings_;
  const trees::InstalledGroups& installed_;
  std::optional<congest::LiveGraph> before_;  // when the controller installed its trees
  TreeSwitches switches_;
  Network<TreeSwitches> network_;
  uint64_t too_fast_ = 0;
  ClockSeries series_;
  TreeRun run_;
};

}  // namespace

TreeRun run_trees(const Fabric& fabric, const trees::InstalledGroups& installed,
                  const TreeScenario& scenario) {
  return Run(fabric, installed, scenario).run();
}

}  // namespace lambdacast::sim::fabrics
