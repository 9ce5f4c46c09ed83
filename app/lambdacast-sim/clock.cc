// SPDX-License-Identifier: BSD-3-Clause
#include "clock.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <mutex>

#include "../command_line.h"
#include "base/plain_text.h"
#include "finished_rows.h"
#include "pictures.h"
#include "report_file.h"
#include "run_progress.h"
#include "sim/fabrics/clock_random.h"
#include "sim/fabrics/clock_schemes.h"
#include "sim/fabrics/graphs_spec.h"
#include "spread.h"

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
  std::string graph;
  std::string scheme;  // as it is told
  ClockScheme run;
  uint64_t budget_bps = 0;
  uint32_t failures = 0;
  std::vector<ClockRun> seeds;  // none if the row was finished before
  Json json;
};

ClockScenario scenario_of(const ClockOptions& options, const Row& row, const Fabric& fabric,
                          const ClockTree& tree, uint64_t seed) {
  ClockScenario scenario;
  scenario.medium = {.model = options.model,
                     .budget_bps = row.budget_bps,
                     .propagation_ns = options.propagation_ns,
                     .loss = options.loss};
  scenario.improvements = row.run.improvements;
  scenario.speaks = row.run.speaks;
  scenario.interval_ns = options.interval_us * 1'000;
  scenario.base_ns = options.base_ns;
  scenario.drift = options.drift_ppm * 1e-6;
  scenario.candidates = options.candidates != 0       ? options.candidates
                        : row.budget_bps > 10'000'000 ? 4
                                                      : 2;
  scenario.probes = options.probes;
  scenario.slack_ns = static_cast<uint64_t>(options.slack_us * 1e3);
  scenario.seed = seed;
  // Anywhere within an interval, behind some that are calm.
  const uint64_t calm_ns =
      options.calm_ms != 0 ? options.calm_ms * 1'000'000 : 10 * scenario.interval_ns;
  scenario.failure_ns = calm_ns + base::SplitMix64(seed).below(scenario.interval_ns);
  scenario.limit_ns += calm_ns;
  scenario.failures = draw_failures(fabric, tree, row.failures, options.failing == "link", seed);
  if (seed == options.first_seed) scenario.bin_ns = static_cast<uint64_t>(options.bin_us * 1e3);
  return scenario;
}

// All that a row hangs on.
Json key_of(const ClockOptions& options, const Row& row) {
  return {row.graph,           row.scheme,
          row.budget_bps,      row.failures,
          options.failing,     options.model == Model::kA ? "A" : "B",
          options.loss,        options.propagation_ns,
          options.interval_us, options.drift_ppm,
          options.base_ns,     options.candidates,
          options.probes,      options.slack_us,
          options.with,        options.without,
          options.seeds,       options.first_seed,
          options.calm_ms,     options.bin_us};
}

Json row_json(const ClockOptions& options, const Row& row) {
  const Spread fast = spread_of(row.seeds, [](const ClockRun& run) { return run.fast_ns; });
  const Spread full = spread_of(row.seeds, [](const ClockRun& run) { return run.full_ns; });
  const Spread peak = spread_of(row.seeds, [](const ClockRun& run) { return run.peak_ns; });
  const auto us = [](double ns, bool known) { return known ? Json(ns / 1e3) : Json(nullptr); };
  const bool has_fast = row.run.kind != ClockScheme::Kind::kPtp;
  Json json = {
      {"graph", row.graph},
      {"scheme", row.scheme},
      {"medium", options.model == Model::kA ? "A" : "B"},
      {"budget_bps", row.budget_bps},
      {"failures", row.failures},
      {"fast_us_mean", us(fast.mean, has_fast)},
      {"fast_us_p99", us(fast.p99, has_fast)},
      {"full_us_mean", us(full.mean, true)},
      {"full_us_p99", us(full.p99, true)},
      {"peak_epsilon_ns", peak.mean},
      {"seeds", row.seeds.size()},
      {"fast_us_p50", us(fast.p50, has_fast)},
      {"full_us_p50", us(full.p50, true)},
      {"peak_epsilon_ns_p99", peak.p99},
      {"normal_epsilon_ns",
       spread_of(row.seeds, [](const ClockRun& run) { return run.normal_ns; }).mean},
      {"height", spread_of(row.seeds, [](const ClockRun& run) { return run.height; }).mean},
      {"floods", spread_of(row.seeds, [](const ClockRun& run) { return run.floods; }).mean},
      {"frames", spread_of(row.seeds, [](const ClockRun& run) { return run.frames; }).mean},
      {"failing", options.failing}};
  if (row.failures == 0 && options.calm_ms != 0)
    json["false_recoveries_an_hour"] =
        json["floods"].get<double>() * 3'600'000 / static_cast<double>(options.calm_ms);
  uint64_t violations = 0;
  for (const ClockRun& run : row.seeds) violations += run.violations.size();
  json["violations"] = violations;
  if (options.bin_us != 0 && !row.seeds.front().epsilon_ns.empty()) {
    json["bin_us"] = options.bin_us;
    json["epsilon_ns"] = row.seeds.front().epsilon_ns;
    json["busiest_bits"] = row.seeds.front().busiest_bits;
  }
  return json;
}

class Rows {
 public:
  explicit Rows(const ClockOptions& options)
      : options_(options), out_(options.json == "-" ? stderr : stdout), pictures_(options.svg) {}

  // Empty: all graphs and schemes are there.
  [[nodiscard]] std::string prepare() {
    for (const std::string& name : options_.graphs) {
      auto fabric = parse_graph(name, options_.first_seed);
      if (!fabric) return fabric.error().message;
      fabrics_.push_back(std::move(*fabric));
      trees_.push_back(lowest_tree(fabrics_.back()));
    }
    const std::vector<ClockScheme> schemes =
        options_.ablation ? ablation_schemes()
                          : schemes_named(options_.schemes, options_.with, options_.without);
    for (size_t graph = 0; graph < fabrics_.size(); ++graph)
      for (const uint64_t budget : options_.budgets_bps)
        for (const uint32_t failures : options_.failures)
          for (const ClockScheme& scheme : schemes) {
            if (const std::string why = scheme_refuses(scheme, budget); !why.empty()) return why;
            rows_.push_back(
                {options_.graphs[graph], scheme.name, scheme, budget, failures, {}, {}});
            graph_of_.push_back(graph);
          }
    if (!finished_.open(options_.resume)) return "'" + options_.resume + "' cannot be written";
    return pictures_.missing();
  }
  void run() {
    RunProgress progress(rows_.size() * options_.seeds, "events");
    tbb::parallel_for(size_t{0}, rows_.size(), [&](size_t i) {
      Row& row = rows_[i];
      row.json = finished_.find(key_of(options_, row));
      if (!row.json.is_null()) {
        for (uint64_t seed = 0; seed < options_.seeds; ++seed) progress.done(0);
        return;
      }
      measure(row, graph_of_[i], progress);
      row.json = row_json(options_, row);
      if (row.json["violations"] == 0) finished_.keep(key_of(options_, row), row.json);
    });
    progress.end();
  }
  [[nodiscard]] Json print() const {
    fmt::print(out_,
               "| graph | scheme | Mb/s | failures | fast, us | p99 | full, us | p99 | peak "
               "epsilon, ns | height | frames |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    Json rows = Json::array();
    for (const Row& row : rows_) {
      const Json& json = row.json;
      const auto number = [&](const char* key) {
        return json[key].is_null() ? std::string("-")
                                   : fmt::format("{:.1f}", json[key].get<double>());
      };
      fmt::print(out_, "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0f} |\n", row.graph,
                 row.scheme, row.budget_bps / 1'000'000, row.failures, number("fast_us_mean"),
                 number("fast_us_p99"), number("full_us_mean"), number("full_us_p99"),
                 number("peak_epsilon_ns"), number("height"), json["frames"].get<double>());
      rows.push_back(json);
    }
    return rows;
  }
  // True: no checker objects. Tells the first objections, and how to see each again.
  [[nodiscard]] bool sound() const {
    size_t told = 0;
    for (const Row& row : rows_) {
      for (size_t i = 0; i < row.seeds.size(); ++i) {
        if (row.seeds[i].violations.empty() || ++told > kMostTold) continue;
        fmt::print(
            stderr,
            "violation: {}\n  again: lambdacast-sim clock --graph {} --scheme {} --budget {} "
            "--failures {} --failing {} --medium {} --seeds 1 --first-seed {}\n",
            row.seeds[i].violations.front(), row.graph, row.scheme, row.budget_bps, row.failures,
            options_.failing, options_.model == Model::kA ? "A" : "B", options_.first_seed + i);
      }
    }
    if (told > kMostTold) fmt::print(stderr, "and {} more\n", told - kMostTold);
    return told == 0;
  }

  // Empty, or a sentence: why there are no pictures.
  [[nodiscard]] std::string draw() {
    for (const Row& row : rows_) {
      const std::string curve = fmt::format("{}, {} Mb/s", row.scheme, row.budget_bps / 1'000'000);
      const auto point = [&](const char* what, const char* y_label, const char* key) {
        if (row.json[key].is_null()) return;
        pictures_.point(
            fmt::format("clock-{}-{}", what, row.graph),
            {.title = row.graph, .x_label = "failures", .y_label = y_label, .with_points = true},
            curve, row.failures, row.json[key].get<double>());
      };
      point("fast", "us to the fast recovery", "fast_us_mean");
      point("full", "us to the full recovery", "full_us_mean");
      point("peak", "peak epsilon, ns", "peak_epsilon_ns");
      if (!row.json.contains("epsilon_ns")) continue;
      double at_us = 0;
      for (const Json& epsilon : row.json["epsilon_ns"])
        pictures_.point(fmt::format("clock-course-{}-{}", row.failures, row.graph),
                        {.title = fmt::format("{}, {} failures", row.graph, row.failures),
                         .x_label = "us",
                         .y_label = "epsilon, ns"},
                        curve, at_us += options_.bin_us, epsilon.get<double>());
    }
    return pictures_.draw();
  }

 private:
  void measure(Row& row, size_t graph, RunProgress& progress) {
    row.seeds.resize(options_.seeds);
    tbb::parallel_for(uint64_t{0}, options_.seeds, [&](uint64_t i) {
      const ClockScenario scenario =
          scenario_of(options_, row, fabrics_[graph], trees_[graph], options_.first_seed + i);
      row.seeds[i] = run_scheme(row.run, fabrics_[graph], trees_[graph], scenario);
      progress.done(row.seeds[i].events);
    });
  }

  const ClockOptions& options_;
  std::FILE* out_;
  Pictures pictures_;
  FinishedRows finished_;
  std::vector<Fabric> fabrics_;
  std::vector<ClockTree> trees_;
  std::vector<Row> rows_;
  std::vector<size_t> graph_of_;  // by row
};

// Small graphs, drawn with everything else, and all checkers.
int run_small(const ClockOptions& options) {
  constexpr uint32_t kMostNodes = 40;
  RunProgress progress(options.small, "events");
  std::mutex telling;
  uint64_t wrong = 0, floods = 0;
  tbb::parallel_for(uint64_t{0}, options.small, [&](uint64_t i) {
    const RandomClock drawn = random_clock(options.first_seed + i, kMostNodes);
    const ClockRun run = sim::fabrics::run_clock(drawn.fabric, drawn.tree, drawn.scenario);
    progress.done(run.events);
    const std::scoped_lock lock(telling);
    floods += run.floods;
    if (run.violations.empty() || ++wrong > kMostTold) return;
    fmt::print(stderr, "seed {}, {}: {}\n  again: lambdacast-sim clock --small 1 --first-seed {}\n",
               options.first_seed + i, drawn.text, run.violations.front(), options.first_seed + i);
  });
  progress.end();
  fmt::print("{} small runs, {} with violations, {} floods\n", options.small, wrong, floods);
  return wrong == 0 ? app::kExitOk : app::kExitFailed;
}

}  // namespace

int run_clock(const ClockOptions& options) {
  const size_t threads = options.jobs > 0 ? static_cast<size_t>(options.jobs)
                                          : static_cast<size_t>(tbb::info::default_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  if (options.small != 0) return run_small(options);
  Rows rows(options);
  if (const std::string why = rows.prepare(); !why.empty()) return refuse(why);
  rows.run();
  const Json json = rows.print();
  const std::string said = rows.draw();
  if (!said.empty()) fmt::print(stderr, "lambdacast-sim: {}\n", base::shown(said));
  if (!write_report(json, options.json)) {
    fmt::print(stderr, "lambdacast-sim: '{}' cannot be written\n", base::shown(options.json));
    return app::kExitEnvironment;
  }
  if (!said.empty()) return app::kExitEnvironment;
  return rows.sound() ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
