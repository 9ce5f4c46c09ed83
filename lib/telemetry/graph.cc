// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plain_text.h"

namespace lambdacast::telemetry {
namespace {

using node::LinkId;

struct LinkEnds {
  LinkId id;
  const char* name;
  const char* from;
  const char* to;
};
// As node/env.h describes them; kReleased carries no packets.
constexpr LinkEnds kLinks[] = {
    {LinkId::kReceived, "received", "receive", "reliability"},
    {LinkId::kAccepted, "accepted", "reliability", "ordering"},
    {LinkId::kDeliveries, "deliveries", "ordering", "application"},
    {LinkId::kUnreliable, "unreliable", "application", "rate_control"},
    {LinkId::kRecoverable, "recoverable", "application", "rate_control"},
    {LinkId::kHeard, "heard", "reliability", "rate_control"},
    {LinkId::kSaid, "said", "reliability", "rate_control"},
    {LinkId::kNeighbor, "neighbor", "neighbor", "rate_control"},
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : base::shown(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string stage_id(const std::string& endpoint, const std::string& stage) {
  return quoted(endpoint + "." + stage);
}

bool polls(const Snapshot& snapshot, size_t endpoint, const std::string& stage) {
  return std::any_of(snapshot.polled.begin(), snapshot.polled.end(), [&](const PolledCounts& each) {
    return each.endpoint == endpoint && each.stage == stage;
  });
}

std::string links_of(const Snapshot& snapshot, size_t i) {
  const std::string& name = snapshot.name(i);
  std::string text;
  for (const LinkEnds& link : kLinks) {
    if (!polls(snapshot, i, link.from) || !polls(snapshot, i, link.to)) continue;
    const auto waiting = snapshot.endpoints[i].endpoint->node().link(link.id).size();
    text += fmt::format("    {} -> {} [label={}];\n", stage_id(name, link.from),
                        stage_id(name, link.to), quoted(fmt::format("{} {}", link.name, waiting)));
  }
  return text;
}

std::string cluster(const Snapshot& snapshot, size_t i) {
  const std::string& name = snapshot.name(i);
  std::string text =
      fmt::format("  subgraph {} {{\n    label={};\n", quoted("cluster_" + name), quoted(name));
  for (const PolledCounts& polled : snapshot.polled) {
    if (polled.endpoint != i) continue;
    text += fmt::format("    {} [label={}];\n", stage_id(name, polled.stage), quoted(polled.stage));
  }
  text += fmt::format("    {} [shape=cds, label={}];\n", stage_id(name, "port"),
                      quoted(snapshot.endpoints[i].endpoint->port().name()));
  text += fmt::format("    {} -> {};\n", stage_id(name, "port"), stage_id(name, "receive"));
  text += fmt::format("    {} -> {};\n", stage_id(name, "rate_control"), stage_id(name, "port"));
  return text + links_of(snapshot, i) + "  }\n";
}

// The embedded fabric, which all see that have a wavelength.
std::string fabric(const Snapshot& snapshot) {
  if (!snapshot.config->fabric) return {};
  std::string text = fmt::format("  fabric [shape=hexagon, label={}];\n",
                                 quoted("fabric " + snapshot.config->fabric->name));
  for (size_t i = 0; i < snapshot.endpoints.size(); ++i) {
    const auto& wavelength = snapshot.endpoints[i].endpoint->config().wavelength;
    if (!wavelength) continue;
    text += fmt::format("  {} -> fabric [dir=both, label={}];\n",
                        stage_id(snapshot.name(i), "port"), quoted(wdm::channel_name(*wavelength)));
  }
  return text;
}

std::string lcores(const Snapshot& snapshot) {
  std::string text;
  for (const LcoreCounts& lcore : snapshot.lcores)
    text += fmt::format("  lcore{0} [shape=box3d, label=\"lcore {0}\"];\n", lcore.id);
  for (const PolledCounts& polled : snapshot.polled) {
    if (polled.endpoint >= snapshot.endpoints.size()) continue;
    text += fmt::format("  lcore{} -> {} [style=dashed, arrowhead=none];\n", polled.lcore,
                        stage_id(snapshot.name(polled.endpoint), polled.stage));
  }
  return text;
}

}  // namespace

std::string graph(const Snapshot& snapshot) {
  std::string text = "digraph lambdacast {\n  rankdir=LR;\n  node [shape=box];\n";
  for (size_t i = 0; i < snapshot.endpoints.size(); ++i) text += cluster(snapshot, i);
  return text + fabric(snapshot) + lcores(snapshot) + "}\n";
}

}  // namespace lambdacast::telemetry
