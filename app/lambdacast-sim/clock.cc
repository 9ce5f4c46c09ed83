// SPDX-License-Identifier: BSD-3-Clause
#include "clock.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>

#include "../command_line.h"
#include "base/plain_text.h"
#include "report_file.h"
#include "sim/fabrics/clock_random.h"
#include "sim/fabrics/clock_schemes.h"
#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim_program {

namespace {

using Json = nlohmann::ordered_json;
using namespace sim::fabrics;  // of this file alone
using Clock = std::chrono::steady_clock;

constexpr size_t kMostTold = 20;  // violations

int refuse(const std::string& why) {
  fmt::print(stderr, "lambdacast-sim: {}\n", base::shown(why));
  return app::kExitUsage;
}

// Tells how far it is: on a terminal in one line, else in a line every ten seconds.
class Progress {
 public:
  explicit Progress(uint64_t runs) : runs_(runs), terminal_(isatty(STDERR_FILENO) == 1) {}
  void done(uint64_t events) {
    const std::scoped_lock lock(telling_);
    ++done_;
    events_ += events;
    const auto now = Clock::now();
    const auto pause = terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10);
    if (now - told_ < pause) return;
    told_ = now;
    shown_ = true;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    fmt::print(stderr, "{}{} of {} runs, {:.1f} million events a second, {:.0f} s left{}",
               terminal_ ? "\r" : "", done_, runs_, static_cast<double>(events_) / 1e6 / seconds,
               seconds * static_cast<double>(runs_ - done_) / static_cast<double>(done_),
               terminal_ ? "\033[K" : "\n");
  }
  void end() const {
    if (terminal_ && shown_) fmt::print(stderr, "\r\033[K");
  }

 private:
  const uint64_t runs_;
  const bool terminal_;
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point told_ = begun_;
  std::mutex telling_;
  uint64_t done_ = 0;
  uint64_t events_ = 0;
  bool shown_ = false;
};

struct Row {
  std::string graph;
  std::string scheme;  // as it is told
  ClockScheme run;
  uint64_t budget_bps = 0;
  uint32_t failures = 0;
  std::vector<ClockRun> seeds;
};

struct Spread {
  double mean = 0, p50 = 0, p99 = 0;
};
Spread spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<size_t>(std::ceil(part * last))];
  };
  return {std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()),
          at(0.5), at(0.99)};
}
template <typename Of>
Spread spread_of(const Row& row, Of of) {
  std::vector<double> values;
  for (const ClockRun& run : row.seeds) values.push_back(static_cast<double>(of(run)));
  return spread(std::move(values));
}

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
  scenario.failure_ns =
      10 * scenario.interval_ns + base::SplitMix64(seed).below(scenario.interval_ns);
  scenario.failures = draw_failures(fabric, tree, row.failures, options.failing == "link", seed);
  if (seed == options.first_seed) scenario.bin_ns = static_cast<uint64_t>(options.bin_us * 1e3);
  return scenario;
}

Json row_json(const ClockOptions& options, const Row& row) {
  const Spread fast = spread_of(row, [](const ClockRun& run) { return run.fast_ns; });
  const Spread full = spread_of(row, [](const ClockRun& run) { return run.full_ns; });
  const Spread peak = spread_of(row, [](const ClockRun& run) { return run.peak_ns; });
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
      {"normal_epsilon_ns", spread_of(row, [](const ClockRun& run) { return run.normal_ns; }).mean},
      {"height", spread_of(row, [](const ClockRun& run) { return run.height; }).mean},
      {"floods", spread_of(row, [](const ClockRun& run) { return run.floods; }).mean},
      {"frames", spread_of(row, [](const ClockRun& run) { return run.frames; }).mean},
      {"failing", options.failing}};
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
      : options_(options), out_(options.json == "-" ? stderr : stdout) {}

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
            rows_.push_back({options_.graphs[graph], scheme.name, scheme, budget, failures,
                             std::vector<ClockRun>(options_.seeds)});
            graph_of_.push_back(graph);
          }
    return {};
  }
  void run() {
    Progress progress(rows_.size() * options_.seeds);
    tbb::parallel_for(size_t{0}, rows_.size() * options_.seeds, [&](size_t i) {
      Row& row = rows_[i / options_.seeds];
      const size_t graph = graph_of_[i / options_.seeds];
      const ClockScenario scenario = scenario_of(options_, row, fabrics_[graph], trees_[graph],
                                                 options_.first_seed + i % options_.seeds);
      ClockRun& run = row.seeds[i % options_.seeds];
      run = run_scheme(row.run, fabrics_[graph], trees_[graph], scenario);
      progress.done(run.events);
    });
    progress.end();
  }
  [[nodiscard]] Json print() const {
    fmt::print(out_,
               "| graph | scheme | Mb/s | failures | fast, us | p99 | full, us | p99 | peak "
               "epsilon, ns | height | frames |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    Json rows = Json::array();
    for (const Row& row : rows_) {
      Json json = row_json(options_, row);
      const auto number = [&](const char* key) {
        return json[key].is_null() ? std::string("-")
                                   : fmt::format("{:.1f}", json[key].get<double>());
      };
      fmt::print(out_, "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0f} |\n", row.graph,
                 row.scheme, row.budget_bps / 1'000'000, row.failures, number("fast_us_mean"),
                 number("fast_us_p99"), number("full_us_mean"), number("full_us_p99"),
                 number("peak_epsilon_ns"), number("height"), json["frames"].get<double>());
      rows.push_back(std::move(json));
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

 private:
  const ClockOptions& options_;
  std::FILE* out_;
  std::vector<Fabric> fabrics_;
  std::vector<ClockTree> trees_;
  std::vector<Row> rows_;
  std::vector<size_t> graph_of_;  // by row
};

// Small graphs, drawn with everything else, and all checkers.
int run_small(const ClockOptions& options) {
  constexpr uint32_t kMostNodes = 40;
  Progress progress(options.small);
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
  if (!write_report(json, options.json)) {
    fmt::print(stderr, "lambdacast-sim: '{}' cannot be written\n", base::shown(options.json));
    return app::kExitEnvironment;
  }
  return rows.sound() ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
