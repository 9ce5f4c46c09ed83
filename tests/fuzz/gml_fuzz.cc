// SPDX-License-Identifier: BSD-3-Clause
// GML from any bytes: a simple graph with a label for each node, or the line at which it ends.
#include <cstdlib>
#include <set>
#include <string_view>

#include "sim/fabrics/graphs_gml.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = lambdacast::sim::fabrics::parse_gml(text, "fuzz");
  if (!parsed) {
    const std::string& reason = parsed.error().message;
    require(reason.starts_with("fuzz:") && reason[5] >= '1' && reason[5] <= '9');
    require(reason.find(": ") + 2 < reason.size() && reason.find('\n') == std::string::npos);
    return 0;
  }
  require(!parsed->labels.empty() && parsed->labels.size() == parsed->graph.nodes());
  std::set<std::pair<uint32_t, uint32_t>> joined;
  for (lambdacast::congest::LinkId link = 0; link < parsed->graph.links(); ++link) {
    const auto [a, b] = parsed->graph.link(link);
    require(a < b && b < parsed->graph.nodes() && joined.insert({a, b}).second);
  }
  return 0;
}
