// SPDX-License-Identifier: BSD-3-Clause
#include "congest.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "../command_line.h"
#include "base/plain_text.h"
#include "base/random.h"
#include "finished_rows.h"
#include "pictures.h"
#include "report_file.h"
#include "run_progress.h"
#include "sim/fabrics/graphs_spec.h"
#include "spread.h"
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

struct Place {
  Fabric fabric;
  CongestTree tree;
};

struct Row {
  const Place* place;
  std::string graph;
  std::string algorithm;
  CongestSync sync;
  double loss;
};

CongestSync sync_named(const std::string& name) {
  const auto* found = std::find(std::begin(kCongestSyncNames), std::end(kCongestSyncNames), name);
  return static_cast<CongestSync>(found - std::begin(kCongestSyncNames));
}

// "all" takes what is right under each synchroniser; an algorithm that is named has to be.
std::string choose(const CongestOptions& options, const std::string& graph, const Place& place,
                   std::vector<Row>& rows) {
  const bool all = options.algorithms == std::vector<std::string>{"all"};
  for (const std::string& algorithm : all ? congest_algorithm_names() : options.algorithms) {
    if (algorithm == "all") return "'all' stands alone, and not beside other algorithms";
    for (const std::string& name : options.syncs) {
      const CongestSync sync = sync_named(name);
      const std::string why = congest_refuses(algorithm, sync);
      if (!why.empty() && !all) return why;
      if (!why.empty()) continue;
      for (const double loss : options.losses)
        rows.push_back({&place, graph, algorithm, sync, loss});
    }
  }
  return {};
}

class CongestReport {
 public:
  explicit CongestReport(const CongestOptions& options)
      : options_(options),
        out_(options.json == "-" ? stderr : stdout),
        transport_(options.transport == "window" ? CongestTransport::kWindow
                                                 : CongestTransport::kStored),
        pictures_(options.svg) {}

  // Empty: all graphs and combinations are there.
  [[nodiscard]] std::string prepare() {
    places_.reserve(options_.graphs.size());  // rows point there
    for (const std::string& graph : options_.graphs) {
      auto fabric = parse_graph(graph, options_.first_seed);
      if (!fabric) return fabric.error().message;
      places_.push_back({std::move(*fabric), {}});
      Place& place = places_.back();
      place.tree = congest_tree(congest::LiveGraph(place.fabric.graph));
      if (const std::string why = choose(options_, graph, place, rows_); !why.empty()) return why;
    }
    if (const std::string why = trace_refuses(options_.trace, rows_.size(), options_.seeds);
        !why.empty())
      return why;
    if (!finished_.open(options_.resume)) return "'" + options_.resume + "' cannot be written";
    return pictures_.missing();
  }
  void run() {
    fmt::print(
        out_,
        "| graph | algorithm | synchroniser | loss | RTTs | p99 | messages a switch | frames "
        "a switch | rounds | cost |\n|---|---|---|---|---|---|---|---|---|---|\n");
    RunProgress progress(rows_.size() * options_.seeds, "events");
    for (const Row& row : rows_) {
      Json json = finished_.find(key(row));
      if (json.is_null()) {
        json = measure(row, progress);
        if (json["violations"] == 0) finished_.keep(key(row), json);
      } else {
        for (uint64_t i = 0; i < options_.seeds; ++i) progress.done(0);
      }
      progress.end();
      print(json);
      draw(row, json);
      json_.push_back(std::move(json));
    }
  }
  [[nodiscard]] const Json& json() const { return json_; }
  [[nodiscard]] std::string drawn() const { return pictures_.draw(); }
  // True: no checker objects. The first objections have been told.
  [[nodiscard]] bool sound() const {
    if (wrong_ > kMostTold) fmt::print(stderr, "and {} more\n", wrong_ - kMostTold);
    return wrong_ == 0;
  }

 private:
  [[nodiscard]] CongestSetting setting_of(const Row& row, uint64_t seed) const {
    CongestSetting setting;
    setting.medium = {.model = options_.model,
                      .budget_bps = options_.budget_bps,
                      .propagation_ns = options_.propagation_ns,
                      .loss = row.loss};
    setting.transport.check_ns = options_.check_ns;
    setting.transport.window = options_.window;
    // Two frame times and two propagations are a round trip.
    setting.transport.timeout_ns = options_.timeout_ns != 0 ? options_.timeout_ns : 3 * rtt_ns();
    setting.seed = seed;
    setting.medium_seed = base::mix64(seed ^ 0x3ed1);
    setting.most_events = 2'000'000'000;
    setting.trace = trace_sink(options_.trace);
    return setting;
  }
  // The round trip of a link: a frame there and one back.
  [[nodiscard]] uint64_t rtt_ns() const {
    const uint64_t frame_ns =
        (congest::kFrameBits * 1'000'000'000 + options_.budget_bps - 1) / options_.budget_bps;
    return 2 * (frame_ns + options_.propagation_ns);
  }
  // All that a row hangs on.
  [[nodiscard]] Json key(const Row& row) const {
    const CongestInputs& inputs = options_.inputs;
    return {row.graph,          row.algorithm,           kCongestSyncNames[size_t(row.sync)],
            row.loss,           options_.transport,      options_.model == Model::kA ? "A" : "B",
            options_.window,    options_.budget_bps,     options_.propagation_ns,
            options_.check_ns,  options_.timeout_ns,     options_.seeds,
            options_.each,      options_.first_seed,     inputs.weight_bits,
            inputs.alpha_log2,  inputs.epsilon_permille, inputs.spanner_k,
            inputs.roots,       inputs.receivers,        inputs.groups,
            inputs.member_share};
  }
  [[nodiscard]] Json measure(const Row& row, RunProgress& progress) {
    std::vector<CongestOutcome> runs(options_.seeds);
    tbb::parallel_for(uint64_t{0}, options_.seeds, [&](uint64_t i) {
      runs[i] =
          run_congest_named(row.algorithm, row.sync, transport_, row.place->fabric, row.place->tree,
                            options_.inputs, setting_of(row, options_.first_seed + i));
      progress.done(runs[i].events);
    });
    return row_json(row, runs);
  }
  [[nodiscard]] Json row_json(const Row& row, const std::vector<CongestOutcome>& runs) {
    using Run = CongestOutcome;
    const auto nodes = static_cast<double>(row.place->fabric.graph.nodes());
    const auto rtts = [&](const Run& run) { return double(run.end_ns) / double(rtt_ns()); };
    const auto messages = [&](const Run& run) { return double(run.messages) / nodes; };
    const Spread time = spread_of(runs, rtts);
    Json json = {{"graph", row.graph},
                 {"algorithm", row.algorithm},
                 {"sync", kCongestSyncNames[size_t(row.sync)]},
                 {"transport", options_.transport},
                 {"medium", options_.model == Model::kA ? "A" : "B"},
                 {"budget_bps", options_.budget_bps},
                 {"loss", row.loss},
                 {"rtts_mean", time.mean},
                 {"rtts_p99", time.p99},
                 {"us_mean", time.mean * double(rtt_ns()) / 1e3},
                 {"messages_per_node", spread_of(runs, messages).mean},
                 {"frames_per_node",
                  spread_of(runs, [](const Run& run) { return run.frames; }).mean / nodes},
                 {"rounds_mean", spread_of(runs, [](const Run& run) { return run.rounds; }).mean},
                 {"cost_mean", spread_of(runs, [](const Run& run) { return run.cost; }).mean},
                 {"nodes", row.place->fabric.graph.nodes()},
                 {"tree_height", row.place->tree.height},
                 {"seeds", runs.size()}};
    uint64_t violations = 0;
    for (size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].violation.empty()) continue;
      ++violations;
      tell(row, options_.first_seed + i, runs[i].violation);
    }
    json["violations"] = violations;
    if (!options_.each) return json;
    for (const Run& run : runs)
      json["each"].push_back({rtts(run), messages(run), run.cost, run.rounds});
    return json;
  }
  void tell(const Row& row, uint64_t seed, const std::string& violation) {
    if (++wrong_ > kMostTold) return;
    fmt::print(stderr,
               "violation: {}\n  again: lambdacast-sim congest --graph {} --algorithm {} --sync {} "
               "--loss {} --transport {} --seeds 1 --first-seed {}\n",
               violation, row.graph, row.algorithm, kCongestSyncNames[size_t(row.sync)], row.loss,
               options_.transport, seed);
  }
  void print(const Json& json) const {
    const auto number = [&](const char* key) { return json[key].get<double>(); };
    fmt::print(out_,
               "| {} | {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n",
               json["graph"].get<std::string>(), json["algorithm"].get<std::string>(),
               json["sync"].get<std::string>(), number("loss"), number("rtts_mean"),
               number("rtts_p99"), number("messages_per_node"), number("frames_per_node"),
               number("rounds_mean"), number("cost_mean"));
  }
  // By loss if there are several, else by the number of switches.
  void draw(const Row& row, const Json& json) {
    const bool by_loss = options_.losses.size() > 1;
    const double x = by_loss ? row.loss : json["nodes"].get<double>();
    const std::string of = by_loss ? row.graph : std::string("graphs");
    const std::string curve = row.algorithm + ", " + kCongestSyncNames[size_t(row.sync)];
    app::Plot labels{.title = by_loss ? "By loss, " + row.graph : "By size of the graph",
                     .x_label = by_loss ? "loss of a frame" : "switches",
                     .y_label = "round trips of a link",
                     .with_points = true};
    pictures_.point("congest-rtts-" + of, labels, curve, x, json["rtts_mean"].get<double>());
    labels.y_label = "messages a switch";
    pictures_.point("congest-messages-" + of, labels, curve, x,
                    json["messages_per_node"].get<double>());
  }

  const CongestOptions& options_;
  std::FILE* out_;
  const CongestTransport transport_;
  Pictures pictures_;
  FinishedRows finished_;
  std::vector<Place> places_;
  std::vector<Row> rows_;
  Json json_ = Json::array();
  uint64_t wrong_ = 0;
};

// Small graphs, drawn with everything else, and all checkers.
int run_small(const CongestOptions& options) {
  RunProgress progress(options.small, "events");
  std::mutex telling;
  uint64_t wrong = 0;
  tbb::parallel_for(uint64_t{0}, options.small, [&](uint64_t i) {
    const uint64_t seed = options.first_seed + i;
    const SmallCongest run = run_small_congest(seed);
    progress.done(run.outcome.events);
    if (run.outcome.violation.empty()) return;
    const std::scoped_lock lock(telling);
    if (++wrong > kMostTold) return;
    fmt::print(stderr,
               "seed {}, {}: {}\n  again: lambdacast-sim congest --small 1 --first-seed {}\n", seed,
               run.text, run.outcome.violation, seed);
  });
  progress.end();
  fmt::print("{} small runs, {} with violations\n", options.small, wrong);
  return wrong == 0 ? app::kExitOk : app::kExitFailed;
}

}  // namespace

int run_congest(const CongestOptions& options) {
  const size_t threads = options.jobs > 0 ? static_cast<size_t>(options.jobs)
                                          : static_cast<size_t>(tbb::info::default_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  if (options.small != 0) return run_small(options);
  CongestReport report(options);
  if (const std::string why = report.prepare(); !why.empty()) return refuse(why);
  report.run();
  const std::string said = report.drawn();
  if (!said.empty()) fmt::print(stderr, "lambdacast-sim: {}\n", base::shown(said));
  if (!write_report(report.json(), options.json)) {
    fmt::print(stderr, "lambdacast-sim: '{}' cannot be written\n", base::shown(options.json));
    return app::kExitEnvironment;
  }
  if (!said.empty()) return app::kExitEnvironment;
  return report.sound() ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
