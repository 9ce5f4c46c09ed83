// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/drawn.h"

#include <algorithm>

namespace lambdacast::sim::fabrics {

std::string draw_graph(base::SplitMix64& random, uint32_t most) {
  const auto nodes = static_cast<uint32_t>(2 + random.below(most - 1));
  switch (random.below(8)) {
    case 0:
      if (nodes > 2) return "ring:" + std::to_string(nodes);
      break;
    case 1:
      if (most >= 20) return random.below(2) == 0 ? "fat-tree:4" : "hamming:3,2";
      break;
    case 2:
      if (nodes > 3) return "spine-leaf:" + std::to_string(nodes - 2) + ",2";
      break;
    default:
      break;
  }
  const uint64_t most_links = uint64_t{nodes} * (nodes - 1) / 2;
  const uint64_t links = std::min(most_links, nodes - 1 + random.below(2 * nodes));
  return "random:" + std::to_string(nodes) + "," + std::to_string(links);
}

void draw_medium(base::SplitMix64& random, MediumConfig& medium) {
  constexpr uint64_t kBudgets[] = {10'000'000, 100'000'000, 1'000'000'000};
  constexpr double kLosses[] = {0, 1e-4, 1e-3, 1e-2, 5e-2};
  medium.model = random.below(2) == 0 ? Model::kA : Model::kB;
  medium.budget_bps = kBudgets[random.below(3)];
  medium.loss = kLosses[random.below(5)];
  medium.propagation_ns = random.below(3) == 0 ? 1000 : 500;
  if (random.below(4) == 0) medium.duplication = 0.1;
  if (random.below(4) != 0) return;
  medium.delay = 0.2;
  medium.most_delay_ns = 2'000;
}

}  // namespace lambdacast::sim::fabrics
