// SPDX-License-Identifier: BSD-3-Clause
#include "ptp.h"

#include <fmt/format.h>

#include <algorithm>

#include "../command_line.h"
#include "base/plain_text.h"
#include "report_file.h"
#include "sim/fabrics/baseline_ptp.h"
#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim_program {

namespace {

using Json = nlohmann::ordered_json;
using namespace sim::fabrics;  // of this file alone

int refuse(int code, const std::string& why) {
  fmt::print(stderr, "lambdacast-sim: {}\n", base::shown(why));
  return code;
}

const char* name_of(PtpPortState state) {
  switch (state) {
    case PtpPortState::kMaster:
      return "master";
    case PtpPortState::kSlave:
      return "slave";
    case PtpPortState::kPassive:
      return "passive";
  }
  return "";
}

}  // namespace

int run_ptp(const PtpOptions& options) {
  const auto fabric = parse_graph(options.graph, options.seed);
  if (!fabric) return refuse(app::kExitUsage, fabric.error().message);
  const congest::Graph& graph = fabric->graph;
  ClockScenario scenario{.medium = {.loss = 0}, .failure_ns = 1'000'000, .seed = options.seed};
  for (const uint32_t node : options.failing) scenario.failures.push_back({.node = node});
  for (const uint32_t node : options.failing)
    if (node >= graph.nodes())
      return refuse(app::kExitUsage, fmt::format("there is no switch {} to fail", node));
  if (options.best >= graph.nodes())
    return refuse(app::kExitUsage, fmt::format("there is no switch {} to be best", options.best));

  const ClockTree tree = tree_from(congest::LiveGraph(graph), options.best);
  const PtpStates states = ptp_states(*fabric, tree, scenario);
  std::FILE* out = options.json == "-" ? stderr : stdout;
  fmt::print(out, "| switch | grandmaster | steps | ports |\n|---|---|---|---|\n");
  Json json = Json::array();
  for (congest::NodeId node = 0; node < graph.nodes(); ++node) {
    if (std::ranges::find(options.failing, node) != options.failing.end()) continue;
    const PtpPlace& place = states.places[node];
    Json ports = Json::array();
    std::string line;
    for (size_t port = 0; port < place.ports.size(); ++port) {
      const congest::NodeId neighbor = graph.to(graph.arc(node, port));
      const char* state = name_of(place.ports[port]);
      ports.push_back({{"neighbor", neighbor}, {"state", state}});
      line += fmt::format("{}{}: {}", port == 0 ? "" : ", ", neighbor, state);
    }
    fmt::print(out, "| {} | {} | {} | {} |\n", node, place.grandmaster, place.steps, line);
    json.push_back({{"switch", node},
                    {"grandmaster", place.grandmaster},
                    {"steps", place.steps},
                    {"ports", std::move(ports)}});
  }
  if (!write_report(json, options.json))
    return refuse(app::kExitEnvironment, "'" + options.json + "' cannot be written");
  if (states.wrong.empty()) return app::kExitOk;
  return refuse(app::kExitFailed, states.wrong);
}

}  // namespace lambdacast::sim_program
