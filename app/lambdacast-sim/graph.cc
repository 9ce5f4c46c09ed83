// SPDX-License-Identifier: BSD-3-Clause
#include "graph.h"

#include <fmt/format.h>

#include "../command_line.h"
#include "report_file.h"
#include "sim/fabrics/graphs_figures.h"
#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim_program {

int run_graph(const GraphOptions& options) {
  const auto fabric = sim::fabrics::parse_graph(options.graph, options.seed);
  if (!fabric) {
    fmt::print(stderr, "lambdacast-sim: {}\n", fabric.error().message);
    return app::kExitUsage;
  }
  const sim::fabrics::GraphFigures figures = sim::fabrics::figures(fabric->graph);
  fmt::print(options.json == "-" ? stderr : stdout,
             "| graph | nodes | links | diameter | radius | degree | least degree | racks |\n"
             "|---|---|---|---|---|---|---|---|\n"
             "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
             fabric->name, figures.nodes, figures.links, figures.diameter, figures.radius,
             figures.degree, figures.least_degree, fabric->racks.size());
  const nlohmann::ordered_json json = {
      {"graph", fabric->name},         {"seed", options.seed},
      {"nodes", figures.nodes},        {"links", figures.links},
      {"diameter", figures.diameter},  {"radius", figures.radius},
      {"degree", figures.degree},      {"least_degree", figures.least_degree},
      {"racks", fabric->racks.size()},
  };
  if (write_report(json, options.json)) return app::kExitOk;
  fmt::print(stderr, "lambdacast-sim: '{}' cannot be written\n", options.json);
  return app::kExitEnvironment;
}

}  // namespace lambdacast::sim_program
