// SPDX-License-Identifier: BSD-3-Clause
#include "clock.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include "../command_line.h"
#include "base/plain_text.h"
#include "clock_rows.h"
#include "finished_rows.h"
#include "pictures.h"
#include "report_file.h"
#include "run_progress.h"
#include "sim/fabrics/clock_random.h"
#include "sim/fabrics/clock_schemes.h"
#include "sim/fabrics/graphs_spec.h"
#include "small_runs.h"
#include "trace_option.h"

namespace lambdacast::sim_program {

namespace {

using Json = nlohmann::ordered_json;
using namespace sim::fabrics;  // of this file alone

constexpr size_t kMostTold = 20;  // violations

int refuse(const std::string& why) {
  fmt::print(stderr, "lambdacast-sim: {}\n", base::shown(why));
  return app::kExitUsage;
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
    for (const ClockRow& row : rows_)
      if (options_.trace && row.run.kind != ClockScheme::Kind::kFrancis)
        return "--trace is of FRANCIS' schemes, and not of " + row.scheme;
    if (const std::string why = trace_refuses(options_.trace, rows_.size(), options_.seeds);
        !why.empty())
      return why;
    if (!finished_.open(options_.resume)) return "'" + options_.resume + "' cannot be written";
    return pictures_.missing();
  }
  void run() {
    RunProgress progress(rows_.size() * options_.seeds, "events");
    tbb::parallel_for(size_t{0}, rows_.size(), [&](size_t i) {
      ClockRow& row = rows_[i];
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
    for (const ClockRow& row : rows_) {
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
    for (const ClockRow& row : rows_) {
      for (size_t i = 0; i < row.seeds.size(); ++i) {
        if (row.seeds[i].violations.empty() || ++told > kMostTold) continue;
        fmt::print(
            stderr,
            "violation: {}\n  again: lambdacast-sim clock --graph {} --scheme {} --budget {} "
            "--failures {} --failing {} --medium {} --loss {} --calm-ms {} --seeds 1 --first-seed "
            "{}\n",
            row.seeds[i].violations.front(), row.graph, row.scheme, row.budget_bps, row.failures,
            options_.failing, options_.model == Model::kA ? "A" : "B", options_.loss,
            options_.calm_ms, options_.first_seed + i);
      }
    }
    if (told > kMostTold) fmt::print(stderr, "and {} more\n", told - kMostTold);
    return told == 0;
  }

  // Empty, or a sentence: why there are no pictures.
  [[nodiscard]] std::string draw() {
    for (const ClockRow& row : rows_) {
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
  void measure(ClockRow& row, size_t graph, RunProgress& progress) {
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
  std::vector<ClockRow> rows_;
  std::vector<size_t> graph_of_;  // by row
};

// A graph, drawn with everything else, and all checkers.
SmallRun small_run(uint64_t seed) {
  const RandomClock drawn = random_clock(seed, most_nodes(seed));
  const ClockRun run = sim::fabrics::run_clock(drawn.fabric, drawn.tree, drawn.scenario);
  return {drawn.text, run.violations.empty() ? "" : run.violations.front(), run.events, run.floods};
}

}  // namespace

int run_clock(const ClockOptions& options) {
  const size_t threads = options.jobs > 0 ? static_cast<size_t>(options.jobs)
                                          : static_cast<size_t>(tbb::info::default_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  if (options.small != 0) return run_small("clock", options.small, options.first_seed, small_run);
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
