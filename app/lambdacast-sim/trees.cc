// SPDX-License-Identifier: BSD-3-Clause
#include "trees.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "../command_line.h"
#include "base/plain_text.h"
#include "pictures.h"
#include "report_file.h"
#include "run_progress.h"
#include "sim/fabrics/graphs_spec.h"
#include "sim/fabrics/groups_headers.h"

namespace lambdacast::sim_program {

namespace {

using Json = nlohmann::ordered_json;
using namespace sim::fabrics;  // of this file alone

// Blocks of senders, many enough that threads end at about one time and that progress is told.
HeaderFigures measure(const HeaderRun& run, int jobs) {
  const size_t threads =
      jobs > 0 ? static_cast<size_t>(jobs) : static_cast<size_t>(tbb::info::default_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const size_t blocks = std::max(8 * threads, run.order().size() / 10'000);
  const size_t size = (run.order().size() + blocks - 1) / blocks;
  RunProgress progress(blocks, "groups");
  HeaderFigures all;
  std::mutex adding;
  tbb::parallel_for(size_t{0}, blocks, [&](size_t block) {
    const HeaderFigures found = run.measure(block * size, size);
    const std::scoped_lock lock(adding);
    all += found;
    progress.done(size);
  });
  progress.end();
  return all;
}

Json affected_json(const std::vector<uint32_t>& counts) {
  const auto sum = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  const auto used = std::count_if(counts.begin(), counts.end(), [](uint32_t n) { return n != 0; });
  return {{"most", counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end())},
          {"mean", counts.empty() ? 0 : double(sum) / double(counts.size())},
          {"used", used}};
}

// By layer of a Clos network; otherwise all switches are of one.
Json affected_by_layer(const Fabric& fabric, const std::vector<uint32_t>& counts) {
  Json layers = Json::array();
  for (size_t layer = 0; layer < std::max<size_t>(1, fabric.logical_switches.size()); ++layer) {
    std::vector<uint32_t> of_layer;
    for (size_t node = 0; node < counts.size(); ++node) {
      if (!fabric.clos() || fabric.layer[node] == layer) of_layer.push_back(counts[node]);
    }
    layers.push_back(affected_json(of_layer));
  }
  return layers;
}

std::string layers_text(const Json& layers) {
  std::string text;
  for (const Json& layer : layers)
    text += fmt::format("{}{:.0f}/{}", text.empty() ? "" : ", ", layer["mean"].get<double>(),
                        layer["most"].get<uint32_t>());
  return text;
}

class TreesReport {
 public:
  TreesReport(const TreesOptions& options, const Fabric& fabric, const HeaderRun& run,
              const HeaderFigures& figures)
      : options_(options),
        fabric_(fabric),
        run_(run),
        figures_(figures),
        out_(options.json == "-" ? stderr : stdout) {}

  [[nodiscard]] Json print(double mean_size) {
    json_ = {{"graph", fabric_.name},
             {"seed", options_.seed},
             {"groups", options_.groups},
             {"mean_size", mean_size},
             {"vms_per_rack", options_.vms_per_rack},
             {"spanner_k", options_.spanner_k},
             {"spanner_links", run_.spanner().links()},
             {"groups_beyond_a_rack", figures_.groups},
             {"mean_receiver_racks", per_group(figures_.receivers)},
             {"mean_links_on_graph", per_group(figures_.graph_links)},
             {"mean_links_on_spanner", per_group(figures_.spanner_links)},
             {"mean_stretch", figures_.stretch / double(figures_.receivers)},
             {"most_stretch", figures_.most_stretch}};
    fmt::print(out_,
               "{}: {} groups of {:.1f} VMs in {:.1f} racks beside the sender's; {} of {} links in "
               "the spanner, stretch in hops {:.4f}, at most {:.2f}\n\n",
               fabric_.name, options_.groups, mean_size, per_group(figures_.receivers),
               run_.spanner().links(), fabric_.graph.links(), json_["mean_stretch"].get<double>(),
               figures_.most_stretch);
    print_schemes();
    fmt::print(out_,
               "\n| groups that a failure affects, mean/most | switches, by layer | links |\n"
               "|---|---|---|\n");
    print_affected("graph", figures_.on_graph);
    print_affected("spanner", figures_.on_spanner);
    return json_;
  }

 private:
  [[nodiscard]] double per_group(uint64_t sum) const {
    return figures_.groups == 0 ? 0 : double(sum) / double(figures_.groups);
  }
  void print_schemes() {
    fmt::print(out_,
               "| scheme | mean, bytes | p50 | p99 | most | not said | wrong |\n"
               "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < kHeaderSchemes; ++i) {
      const std::string name = kHeaderSchemeNames[i];
      const auto& wanted = options_.schemes;
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end())
        continue;
      const HeaderSizes& sizes = figures_.sizes[i];
      if (sizes.headers == 0) continue;
      fmt::print(out_, "| {} | {:.1f} | {} | {} | {} | {} | {} |\n", name, sizes.mean_bytes(),
                 sizes.percentile(0.5), sizes.percentile(0.99), sizes.percentile(1), sizes.unsaid,
                 options_.check ? std::to_string(sizes.wrong) : "-");
      json_["schemes"][name] = {{"mean_bytes", sizes.mean_bytes()},
                                {"p50_bytes", sizes.percentile(0.5)},
                                {"p99_bytes", sizes.percentile(0.99)},
                                {"most_bytes", sizes.percentile(1)},
                                {"headers", sizes.headers},
                                {"unsaid", sizes.unsaid},
                                {"wrong", sizes.wrong}};
    }
  }
  void print_affected(const char* where, const Affected& affected) {
    const Json nodes = affected_by_layer(fabric_, affected.by_node);
    const Json links = affected_json(affected.by_link);
    fmt::print(out_, "| {} | {} | {} |\n", where, layers_text(nodes),
               layers_text(Json::array({links})));
    json_["affected"][where] = {{"switches_by_layer", nodes}, {"links", links}};
  }

  const TreesOptions& options_;
  const Fabric& fabric_;
  const HeaderRun& run_;
  const HeaderFigures& figures_;
  std::FILE* out_;
  Json json_;
};

// The share of headers that are at most so long, by scheme.
std::string draw(const TreesOptions& options, const HeaderFigures& figures, Pictures& pictures) {
  for (size_t i = 0; i < kHeaderSchemes; ++i) {
    const HeaderSizes& sizes = figures.sizes[i];
    uint64_t up_to = 0;
    for (size_t bytes = 0; bytes < sizes.by_bytes.size(); ++bytes) {
      if (sizes.by_bytes[bytes] == 0) continue;
      up_to += sizes.by_bytes[bytes];
      pictures.point("trees-headers-" + options.graph,
                     {.title = "Headers, " + options.graph,
                      .x_label = "bytes at most",
                      .y_label = "share of headers"},
                     kHeaderSchemeNames[i], double(bytes), double(up_to) / double(sizes.headers));
    }
  }
  return pictures.draw();
}

int refuse(const std::string& reason) {
  fmt::print(stderr, "lambdacast-sim: {}\n", base::shown(reason));
  return app::kExitUsage;
}

}  // namespace

int run_trees(const TreesOptions& options) {
  if (!options.mending.failures.empty() || options.mending.small != 0) return run_mending(options);
  if (options.graph.empty()) return refuse("--graph is required");
  const auto fabric = parse_graph(options.graph, options.seed);
  if (!fabric) return refuse(fabric.error().message);
  Pictures pictures(options.svg);
  if (const std::string why = pictures.missing(); !why.empty()) return refuse(why);
  const double nodes = double(fabric->graph.nodes());
  const double mean = options.mean_size > 0 ? options.mean_size : std::max(7.0, nodes / 100);
  const Groups groups({.racks = static_cast<uint32_t>(fabric->racks.size()),
                       .groups = options.groups,
                       .mean_size = mean,
                       .vms_per_rack = options.vms_per_rack,
                       .seed = options.seed});
  const HeaderRun run(*fabric, groups,
                      {.spanner_k = options.spanner_k,
                       .seed = options.seed,
                       .turn_on_spanner = options.turn_on_spanner,
                       .check = options.check,
                       .route = {.elmo_redundancy = options.elmo_redundancy,
                                 .orca_false_positives = options.orca_false_positives}});
  const HeaderFigures figures = measure(run, options.jobs);
  if (figures.groups == 0) return refuse("no group has a receiver in another rack");
  const Json json = TreesReport(options, *fabric, run, figures).print(groups.mean_size());
  if (!write_report(json, options.json)) {
    fmt::print(stderr, "lambdacast-sim: '{}' cannot be written\n", base::shown(options.json));
    return app::kExitEnvironment;
  }
  if (const std::string said = draw(options, figures, pictures); !said.empty()) {
    fmt::print(stderr, "lambdacast-sim: {}\n", base::shown(said));
    return app::kExitEnvironment;
  }
  const bool right = std::all_of(figures.sizes.begin(), figures.sizes.end(),
                                 [](const HeaderSizes& sizes) { return sizes.wrong == 0; });
  return right ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
