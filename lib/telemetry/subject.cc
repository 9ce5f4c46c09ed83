// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/subject.h"

#include <algorithm>
#include <cstring>

namespace lambdacast::telemetry {
namespace {

constexpr Needs kLoops = {.stages = false};  // also of an lcore that does not move any more
constexpr Needs kStagesOnly = {};
constexpr Needs kPorts = {.ports = true};
constexpr Needs kGroups = {.groups = true};
constexpr Needs kRequests = {.stages = false, .requests = true};
constexpr Needs kLocks = {.stages = false, .locks = true};

constexpr Subject kSubjects[] = {
    {"port_stats", "port stats all", "What each port has received and transmitted.", Layout::kSheet,
     kPorts, port_stats_table},
    {"port_xstats", "port xstats all", "The counts of each port's driver.", Layout::kGrid, kPorts,
     port_xstats_table},
    {"port_info", "port info all", "What each port is, and its link.", Layout::kSheet, kPorts,
     port_info_table},
    {"fabric", "fabric", "The embedded fabric and what each port on it has heard.", Layout::kSheet,
     kPorts, fabric_table},
    {"wavelengths", "wavelengths", "What each endpoint hears on each wavelength that is lit.",
     Layout::kGrid, kPorts, wavelengths_table},
    {"endpoint", "endpoint", "What each endpoint is, has sent and has delivered.", Layout::kSheet,
     kPorts, endpoint_table},
    {"stages", "stages", "The stages of each endpoint: what came in, went on and was dropped.",
     Layout::kGrid, kStagesOnly, stages_table},
    {"drops", "drops", "Why the stages have dropped packets.", Layout::kGrid, kStagesOnly,
     drops_table},
    {"lcores", "lcores", "How each lcore spends its time.", Layout::kGrid, kLoops, lcores_table},
    {"peers", "peers", "The peers of each endpoint: their sequences, repairs and round trips.",
     Layout::kGrid, kStagesOnly, peers_table},
    {"reliability", "reliability", "What each endpoint does for repair, sending and receiving.",
     Layout::kSheet, kStagesOnly, reliability_table},
    {"losses", "losses",
     "Where packets were lost on their way to each endpoint, and what came of it.", Layout::kGrid,
     kPorts, losses_table},
    {"view", "view",
     "Membership and total order of each endpoint: state, view, what they have done.",
     Layout::kSheet, kStagesOnly, view_table},
    {"members", "members", "The members of each endpoint's view, by rank.", Layout::kGrid,
     kStagesOnly, members_table},
    {"rate", "rate", "What each endpoint may send, and what limits it.", Layout::kSheet,
     kStagesOnly, rate_table},
    {"shares", "shares", "What the members of each endpoint's view need, take and may send.",
     Layout::kGrid, kStagesOnly, shares_table},
    {"groups", "group all", "The groups of each endpoint, and what it has delivered of them.",
     Layout::kGrid, kGroups, groups_table},
    {"handlers", "handlers",
     "The locks of groups: who holds each by which token, as each endpoint knows.", Layout::kGrid,
     kLocks, handlers_table},
    {"requests", "requests",
     "Calls of each endpoint to groups, and the requests that it is asked by.", Layout::kSheet,
     kRequests, requests_table},
};

}  // namespace

std::span<const Subject> subjects() { return kSubjects; }

const Subject* find_subject(std::string_view name) {
  const auto all = subjects();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Subject& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Table of_endpoint(Table table, const std::string& endpoint) {
  const auto label =
      std::find_if(table.figures.begin(), table.figures.end(), [](const Figure& figure) {
        return figure.kind == Kind::kLabel && std::strcmp(figure.name, "endpoint") == 0;
      });
  if (label == table.figures.end()) return table;
  const auto at = static_cast<size_t>(label - table.figures.begin());
  std::erase_if(table.rows,
                [&](const std::vector<Value>& row) { return row[at] != Value(endpoint); });
  return table;
}

}  // namespace lambdacast::telemetry
