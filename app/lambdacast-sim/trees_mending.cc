// SPDX-License-Identifier: BSD-3-Clause
// How fast switches mend the trees of the groups that a failure affects (trees.h).
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "../command_line.h"
#include "base/plain_text.h"
#include "base/random.h"
#include "finished_rows.h"
#include "pictures.h"
#include "report_file.h"
#include "run_progress.h"
#include "sim/fabrics/graphs_spec.h"
#include "sim/fabrics/tree_random.h"
#include "sim/fabrics/tree_schemes.h"
#include "small_runs.h"
#include "spread.h"
#include "trace_option.h"
#include "trees.h"

namespace lambdacast::sim_program {

namespace {

using Json = nlohmann::ordered_json;
using namespace sim::fabrics;  // of this file alone

constexpr size_t kMostTold = 20;  // violations

int refuse(const std::string& why) {
  fmt::print(stderr, "lambdacast-sim: {}\n", base::shown(why));
  return app::kExitUsage;
}

struct Row {
  TreeScheme scheme;
  uint64_t budget_bps = 0;
  uint32_t failures = 0;
  std::vector<TreeRun> seeds;
  Json json;
};

class Mending {
 public:
  explicit Mending(const TreesOptions& options)
      : options_(options),
        wanted_(options.mending),
        out_(options.json == "-" ? stderr : stdout),
        pictures_(options.svg) {}

  // Empty: graph and groups are there.
  [[nodiscard]] std::string prepare() {
    auto fabric = parse_graph(options_.graph, options_.seed);
    if (!fabric) return fabric.error().message;
    fabric_ = std::move(*fabric);
    const auto schemes = wanted_.ablation
                             ? tree_ablation_schemes()
                             : tree_schemes_named(wanted_.schemes, wanted_.with, wanted_.without);
    for (const uint64_t budget : wanted_.budgets_bps)
      for (const uint32_t failures : wanted_.failures)
        for (const TreeScheme& scheme : schemes)
          rows_.push_back({scheme, budget, failures, {}, {}});
    if (const std::string why = trace_refuses(wanted_.trace, rows_.size(), wanted_.seeds);
        !why.empty())
      return why;
    if (!finished_.open(wanted_.resume)) return "'" + wanted_.resume + "' cannot be written";
    return pictures_.missing();
  }

  // Finds the groups that any of the failures affects, in one pass over all groups.
  void find_groups() {
    std::vector<bool> wanted(fabric_.graph.nodes());
    for (const uint32_t failures : wanted_.failures)
      for (uint64_t i = 0; i < wanted_.seeds; ++i)
        for (const NodeId node : named_by(fabric_.graph, failures_of(failures, i)))
          wanted[node] = true;
    const double nodes = double(fabric_.graph.nodes());
    const Groups groups(
        {.racks = static_cast<uint32_t>(fabric_.racks.size()),
         .groups = options_.groups,
         .mean_size = options_.mean_size > 0 ? options_.mean_size : std::max(7.0, nodes / 100),
         .vms_per_rack = options_.vms_per_rack,
         .seed = options_.seed});
    const std::vector<uint32_t> order = by_sender(groups);
    constexpr size_t kBlock = 10'000;
    const size_t blocks = (order.size() + kBlock - 1) / kBlock;
    std::vector<std::vector<std::pair<NodeId, trees::InstalledGroups::Group>>> found(blocks);
    RunProgress progress(blocks, "groups");
    tbb::parallel_for(size_t{0}, blocks, [&](size_t block) {
      const size_t first = block * kBlock;
      const auto numbers = std::span(order).subspan(first, std::min(kBlock, order.size() - first));
      found[block] = groups_through(fabric_, groups, numbers, wanted, options_.seed);
      progress.done(numbers.size());
    });
    progress.end();
    std::vector<std::pair<NodeId, trees::InstalledGroups::Group>> all;
    for (auto& each : found) std::move(each.begin(), each.end(), std::back_inserter(all));
    installed_.emplace(std::move(all));
  }

  void run() {
    RunProgress progress(rows_.size() * wanted_.seeds, "events");
    tbb::parallel_for(size_t{0}, rows_.size(), [&](size_t i) {
      Row& row = rows_[i];
      row.json = finished_.find(key_of(row));
      if (!row.json.is_null()) {
        for (uint64_t seed = 0; seed < wanted_.seeds; ++seed) progress.done(0);
        return;
      }
      row.seeds.resize(wanted_.seeds);
      tbb::parallel_for(uint64_t{0}, wanted_.seeds, [&](uint64_t seed) {
        row.seeds[seed] = sim::fabrics::run_trees(fabric_, *installed_, scenario_of(row, seed));
        progress.done(row.seeds[seed].events);
      });
      row.json = json_of(row);
      if (row.json["violations"] == 0) finished_.keep(key_of(row), row.json);
    });
    progress.end();
  }

  [[nodiscard]] Json print() {
    fmt::print(out_,
               "| graph | scheme | Mb/s | failures | groups | fast, us | p99 | full, us | p99 | "
               "floods | frames | links a packet |\n"
               "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    Json rows = Json::array();
    for (const Row& row : rows_) {
      const auto number = [&](const char* key) { return row.json[key].get<double>(); };
      fmt::print(out_,
                 "| {} | {} | {} | {} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | "
                 "{:.0f} | {:.1f} |\n",
                 fabric_.name, row.scheme.name, row.budget_bps / 1'000'000, row.failures,
                 number("groups"), number("fast_us_mean"), number("fast_us_p99"),
                 number("full_us_mean"), number("full_us_p99"), number("floods"), number("frames"),
                 number("links"));
      rows.push_back(row.json);
    }
    return rows;
  }
  // True: no checker objects. Tells the first objections, and how to see each again.
  [[nodiscard]] bool sound() const {
    size_t told = 0;
    for (const Row& row : rows_) {
      for (size_t i = 0; i < row.seeds.size(); ++i) {
        if (row.seeds[i].violations.empty() || ++told > kMostTold) continue;
        fmt::print(stderr,
                   "violation: {}\n  again: lambdacast-sim trees --graph {} --groups {} --seed {} "
                   "--repair {} --budget {} --failures {} --failing {} --seeds 1 --first-seed {}\n",
                   row.seeds[i].violations.front(), options_.graph, options_.groups, options_.seed,
                   row.scheme.name, row.budget_bps, row.failures, wanted_.failing,
                   wanted_.first_seed + i);
      }
    }
    if (told > kMostTold) fmt::print(stderr, "and {} more\n", told - kMostTold);
    return told == 0;
  }
  // Empty, or a sentence: why there are no pictures.
  [[nodiscard]] std::string draw() {
    for (const Row& row : rows_) {
      double at_us = 0;
      if (!row.json.contains("busiest_bits")) continue;
      for (const double bits : row.json["busiest_bits"])
        pictures_.point(fmt::format("trees-course-{}-{}", row.failures, options_.graph),
                        {.title = fmt::format("{}, {} failures", options_.graph, row.failures),
                         .x_label = "us",
                         .y_label = "Mb/s on the busiest link"},
                        fmt::format("{}, {} Mb/s", row.scheme.name, row.budget_bps / 1'000'000),
                        at_us += wanted_.bin_us, bits / wanted_.bin_us);
    }
    return pictures_.draw();
  }

 private:
  [[nodiscard]] std::vector<Failure> failures_of(uint32_t count, uint64_t i) const {
    return draw_tree_failures(fabric_, count, wanted_.failing == "link", wanted_.first_seed + i);
  }
  [[nodiscard]] TreeScenario scenario_of(const Row& row, uint64_t i) const {
    const uint64_t seed = wanted_.first_seed + i;
    TreeScenario scenario;
    scenario.medium = {.model = wanted_.model,
                       .budget_bps = row.budget_bps,
                       .propagation_ns = 500,
                       .loss = wanted_.loss};
    scenario.improvements = row.scheme.improvements;
    scenario.interval_ns = wanted_.interval_us * 1'000;
    scenario.probes = wanted_.probes;
    scenario.spanner_k = options_.spanner_k;
    scenario.seed = seed;
    // Anywhere within an interval, behind one in which all have probed each other.
    scenario.failure_ns =
        2 * scenario.interval_ns + base::SplitMix64(seed).below(scenario.interval_ns);
    constexpr uint64_t kUsualBps = 100'000'000;
    scenario.limit_ns *= std::max<uint64_t>(1, kUsualBps / row.budget_bps);
    scenario.failures = failures_of(row.failures, i);
    scenario.trace = trace_sink(wanted_.trace);
    if (i == 0) scenario.bin_ns = static_cast<uint64_t>(wanted_.bin_us * 1e3);
    return scenario;
  }
  // All that a row hangs on.
  [[nodiscard]] Json key_of(const Row& row) const {
    return {fabric_.name,
            options_.seed,
            options_.groups,
            options_.mean_size,
            options_.vms_per_rack,
            options_.spanner_k,
            row.scheme.name,
            row.budget_bps,
            row.failures,
            wanted_.failing,
            wanted_.model == Model::kA ? "A" : "B",
            wanted_.loss,
            wanted_.interval_us,
            wanted_.probes,
            wanted_.seeds,
            wanted_.first_seed,
            wanted_.bin_us};
  }
  [[nodiscard]] Json json_of(const Row& row) const {
    const Spread fast = spread_of(row.seeds, [](const TreeRun& run) { return run.fast_ns; });
    const Spread full = spread_of(row.seeds, [](const TreeRun& run) { return run.full_ns; });
    const auto mean = [&](auto of) { return spread_of(row.seeds, of).mean; };
    Json json = {{"graph", fabric_.name},
                 {"scheme", row.scheme.name},
                 {"medium", wanted_.model == Model::kA ? "A" : "B"},
                 {"budget_bps", row.budget_bps},
                 {"failures", row.failures},
                 {"failing", wanted_.failing},
                 {"all_groups", options_.groups},
                 {"groups", mean([](const TreeRun& run) { return run.groups; })},
                 {"fast_us_mean", fast.mean / 1e3},
                 {"fast_us_p50", fast.p50 / 1e3},
                 {"fast_us_p99", fast.p99 / 1e3},
                 {"full_us_mean", full.mean / 1e3},
                 {"full_us_p50", full.p50 / 1e3},
                 {"full_us_p99", full.p99 / 1e3},
                 {"floods", mean([](const TreeRun& run) { return run.floods; })},
                 {"frames", mean([](const TreeRun& run) { return run.frames; })},
                 {"links", mean([](const TreeRun& run) { return run.links; })},
                 {"seeds", row.seeds.size()}};
    uint64_t violations = 0;
    for (const TreeRun& run : row.seeds) violations += run.violations.size();
    json["violations"] = violations;
    if (wanted_.bin_us != 0) {
      json["bin_us"] = wanted_.bin_us;
      json["busiest_bits"] = row.seeds.front().busiest_bits;
    }
    return json;
  }

  const TreesOptions& options_;
  const MendingOptions& wanted_;
  std::FILE* out_;
  Pictures pictures_;
  FinishedRows finished_;
  Fabric fabric_;
  std::optional<trees::InstalledGroups> installed_;
  std::vector<Row> rows_;
};

// A graph, drawn with everything else, and all checkers.
SmallRun small_run(uint64_t seed) {
  const RandomTrees drawn = random_trees(seed, most_nodes(seed));
  const TreeRun run = sim::fabrics::run_trees(drawn.fabric, drawn.installed, drawn.scenario);
  return {drawn.text, run.violations.empty() ? "" : run.violations.front(), run.events, run.floods};
}

}  // namespace

int run_mending(const TreesOptions& options) {
  const size_t threads = options.jobs > 0 ? static_cast<size_t>(options.jobs)
                                          : static_cast<size_t>(tbb::info::default_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  if (options.mending.small != 0)
    return run_small("trees", options.mending.small, options.mending.first_seed, small_run);
  if (options.graph.empty()) return refuse("--graph is required");
  Mending mending(options);
  if (const std::string why = mending.prepare(); !why.empty()) return refuse(why);
  mending.find_groups();
  mending.run();
  const Json json = mending.print();
  const std::string said = mending.draw();
  if (!said.empty()) fmt::print(stderr, "lambdacast-sim: {}\n", base::shown(said));
  if (!write_report(json, options.json)) {
    fmt::print(stderr, "lambdacast-sim: '{}' cannot be written\n", base::shown(options.json));
    return app::kExitEnvironment;
  }
  if (!said.empty()) return app::kExitEnvironment;
  return mending.sound() ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
