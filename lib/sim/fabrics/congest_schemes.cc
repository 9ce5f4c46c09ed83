// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/congest_schemes.h"

#include <algorithm>
#include <array>

#include "base/random.h"
#include "congest/alpha.h"
#include "congest/beta.h"
#include "congest/by_iteration.h"
#include "congest/engine.h"
#include "congest/free_running.h"
#include "congest/link_window.h"
#include "congest/synchronous_run.h"
#include "sim/fabrics/congest_inputs.h"
#include "sim/fabrics/congest_random.h"

namespace lambdacast::sim::fabrics {

using namespace congest;  // of this file alone

namespace {

struct Case {
  const LiveGraph& live;
  const std::vector<TreePlace>& tree;  // of beta
  CongestSync sync;
  const CongestSetting& setting;
};

template <typename Algorithm, typename Synchroniser, typename Place>
CongestOutcome compare(const Case& given, const typename Algorithm::Config& config,
                       const SynchronousRun<Algorithm>& reference, Place place) {
  const auto run = run_congest<Engine<Algorithm, Synchroniser, LinkWindow>>(given.live, config,
                                                                            place, given.setting);
  CongestOutcome outcome{.end_ns = run.end_ns,
                         .rounds = run.rounds,
                         .messages = run.messages,
                         .frames = run.frames,
                         .events = run.events};
  outcome.violation = judge(given.live, config, reference.results);
  if (!run.ended)
    outcome.violation = "it has not ended";
  else if (run.results != reference.results)
    outcome.violation = "it has another result than rounds without a network";
  else if (!Synchroniser::kRounds && outcome.violation.empty())
    outcome.violation = judge(given.live, config, run.results);
  outcome.cost = cost_of<Algorithm>(given.live, config, run.results);
  return outcome;
}

template <typename Algorithm>
CongestOutcome run_one(const Case& given, const typename Algorithm::Config& config) {
  const auto reference = run_synchronously<Algorithm>(given.live, config, given.setting.seed);
  switch (given.sync) {
    case CongestSync::kBeta:
      return compare<Algorithm, Beta>(given, config, reference,
                                      [&](NodeId node) { return given.tree[node]; });
    case CongestSync::kAlpha:
      // Nobody knows the end: alpha gets the rounds that the reference took.
      return compare<Algorithm, Alpha>(given, config, reference, [&](NodeId) {
        return Alpha::Config{.rounds = reference.most_rounds, .phases = reference.phases};
      });
    case CongestSync::kFree:
      if constexpr (kRunsFree<Algorithm>) {
        return compare<Algorithm, FreeRunning>(given, config, reference,
                                               [](NodeId) { return FreeRunning::Config(); });
      } else if constexpr (requires { waves_of(config, size_t{0}); }) {
        return run_one<Wave>(given, waves_of(config, given.live.graph().nodes()));
      }
      break;
    case CongestSync::kByIteration:
      if constexpr (kIterates<Algorithm>) {
        return compare<Algorithm, ByIteration>(given, by_iteration<Algorithm>(config), reference,
                                               [&](NodeId node) { return given.tree[node]; });
      }
      break;
  }
  return {.violation = "it cannot run so"};
}

struct Row {
  const char* name;
  bool free;
  bool iterates;
  CongestOutcome (*run)(const Case&, const Fabric&, const CongestTree&, const CongestInputs&);
  CongestOutcome (*run_small)(const Case&, uint64_t seed);
};

template <typename Algorithm>
constexpr Row make_row(const char* name, bool free = false) {
  return {name, free, kIterates<Algorithm>,
          [](const Case& given, const Fabric& fabric, const CongestTree& tree,
             const CongestInputs& inputs) {
            return run_one<Algorithm>(
                given, draw_config<Algorithm>(fabric, tree, inputs, given.setting.seed));
          },
          [](const Case& given, uint64_t seed) {
            return run_one<Algorithm>(given, random_config<Algorithm>(given.live, seed));
          }};
}

constexpr std::array kRows = {
    make_row<Leader>("leader", true), make_row<BreadthFirst>("bfs"),
    make_row<TreeCentre>("centre"),   make_row<TreeElection>("election", true),
    make_row<Boruvka>("boruvka"),     make_row<IndependentSet>("luby"),
    make_row<VertexCover>("cover"),   make_row<ApproximateVertexCover>("cover-approximate"),
    make_row<Spanner>("spanner"),     make_row<SetCoverTree>("set-cover"),
    make_row<Wave>("flood", true),    make_row<RecoveryBitmaps>("bitmaps", true)};

const Row& row_of(const std::string& name) {
  return *std::find_if(kRows.begin(), kRows.end(),
                       [&](const Row& row) { return row.name == name; });
}

void choose(CongestTransport transport, CongestSetting& setting) {
  setting.transport.bare = transport == CongestTransport::kStored;
  if (setting.transport.bare) setting.transport.window = 1;
}

}  // namespace

const std::vector<std::string>& congest_algorithm_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Row& row : kRows) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

std::string congest_refuses(const std::string& algorithm, CongestSync sync) {
  const Row& row = row_of(algorithm);
  const bool free = sync == CongestSync::kFree;
  if (!free && sync != CongestSync::kByIteration) return {};
  if (free ? row.free : row.iterates) return {};
  std::string right;
  for (const Row& each : kRows)
    if (free ? each.free : each.iterates)
      right += (right.empty() ? "" : ", ") + std::string(each.name);
  return algorithm + " counts rounds and cannot run " +
         (free ? "free; it runs under beta and alpha, and " + right + " run free"
               : "by iteration; it runs under beta and alpha, and " + right + " runs by iteration");
}

CongestTree congest_tree(const LiveGraph& live) {
  const TreeCentre::Config before{tree_of(live, first_alive(live))};
  const auto centred = run_synchronously<TreeCentre>(live, before, 0);
  CongestTree tree;
  for (const auto& result : centred.results) {
    tree.places.push_back(result ? result->place : TreePlace());
    if (result && result->is_root) tree.height = result->height;
  }
  return tree;
}

CongestOutcome run_congest_named(const std::string& algorithm, CongestSync sync,
                                 CongestTransport transport, const Fabric& fabric,
                                 const CongestTree& tree, const CongestInputs& inputs,
                                 CongestSetting setting) {
  choose(transport, setting);
  const LiveGraph live(fabric.graph);
  return row_of(algorithm).run({live, tree.places, sync, setting}, fabric, tree, inputs);
}

SmallCongest run_small_congest(uint64_t seed) {
  constexpr size_t kFewNodes = 24, kMostNodes = 200;
  base::SplitMix64 random(base::mix64(seed ^ 0x5a11));
  const Row& row = kRows[random.below(kRows.size())];
  auto sync = static_cast<CongestSync>(random.below(row.free || row.iterates ? 3 : 2));
  if (sync == CongestSync::kFree && row.iterates) sync = CongestSync::kByIteration;
  const auto transport = static_cast<CongestTransport>(random.below(2));
  const Graph graph = random_graph(seed, random.below(32) == 0 ? kMostNodes : kFewNodes);
  LiveGraph live(graph);
  fail_something(live, seed);
  CongestSetting setting = random_setting(seed);
  choose(transport, setting);
  const auto tree = tree_of(live, first_alive(live));
  SmallCongest small;
  small.text = std::string(row.name) + ", " + kCongestSyncNames[static_cast<size_t>(sync)] + ", " +
               (setting.transport.bare ? "stored frames" : "window") + ", " +
               std::to_string(graph.nodes()) + " switches, loss " +
               std::to_string(setting.medium.loss);
  small.outcome = row.run_small({live, tree, sync, setting}, seed);
  return small;
}

}  // namespace lambdacast::sim::fabrics
