// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of lib/congest by name, on a fabric, by a synchroniser and a transport. Each run
// is compared with rounds without a network, whose result is judged (congest_judge.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fabrics/congest_run.h"
#include "sim/fabrics/graphs_fabric.h"

namespace lambdacast::sim::fabrics {

enum class CongestSync : uint8_t { kBeta, kAlpha, kFree, kByIteration };
inline constexpr const char* kCongestSyncNames[] = {"beta", "alpha", "free", "by-iteration"};

// Stored frames, as published, are a window of one with bare acknowledgements, frame for frame.
enum class CongestTransport : uint8_t { kStored, kWindow };

[[nodiscard]] const std::vector<std::string>& congest_algorithm_names();
// Empty: that algorithm is right under that synchroniser; else a sentence that says which are.
[[nodiscard]] std::string congest_refuses(const std::string& algorithm, CongestSync sync);

// The tree of beta: breadth first from the least switch, with its root moved to its centre.
struct CongestTree {
  std::vector<congest::TreePlace> places;  // by node
  uint32_t height = 0;
};
[[nodiscard]] CongestTree congest_tree(const congest::LiveGraph& live);

// What the algorithms are given, drawn from the seed of a run.
struct CongestInputs {
  uint32_t weight_bits = 10;  // of the cover's switches and of Boruvka's links: 1 ... 2^bits
  uint32_t epsilon_permille = 100;
  uint32_t alpha_log2 = 1;
  uint32_t spanner_k = 3;
  uint32_t roots = 4;             // of bfs, and candidates of election
  uint32_t receivers = 100;       // of set-cover, at most half of the racks
  uint32_t groups = 1024;         // of bitmaps
  double member_share = 1.0 / 8;  // of racks in a group
};

struct CongestOutcome {
  std::string violation{};  // the first; empty: none
  uint64_t end_ns = 0;
  uint64_t rounds = 0;    // of the switch with most
  uint64_t messages = 0;  // of the algorithm
  uint64_t frames = 0;    // all
  uint64_t events = 0;
  // The cover's or least tree's weight, the switches of an independent set, the links of a spanner
  // or set cover tree, the height of a centred tree; else 0.
  double cost = 0;
};

// `setting.transport.window` and `bare` follow from `transport`.
[[nodiscard]] CongestOutcome run_congest_named(const std::string& algorithm, CongestSync sync,
                                               CongestTransport transport, const Fabric& fabric,
                                               const CongestTree& tree, const CongestInputs& inputs,
                                               CongestSetting setting);

// One small case, all of it drawn from the seed: algorithm, graph, failures, synchroniser,
// transport and medium.
struct SmallCongest {
  std::string text;  // what was drawn
  CongestOutcome outcome;
};
[[nodiscard]] SmallCongest run_small_congest(uint64_t seed);

}  // namespace lambdacast::sim::fabrics
