// SPDX-License-Identifier: BSD-3-Clause
// The directed links of a graph as frames find them: when a frame leaves, when it comes, and
// whether it comes at all.
//
//   Medium medium(graph.arcs(), {.budget_bps = 10'000'000}, seed);
//   const Transit transit = medium.send(arc, bits, now_ns);
//
// Two models say how the bandwidth that control frames may use acts on them:
//
//   A  a frame occupies its directed link for bits / budget, and travels then;
//   B  a frame leaves at the rate of the line, and the next one no earlier than bits / budget
//      behind its start.
//
// Each directed link keeps its order, whatever is delayed or duplicated. The fate of a frame is a
// function of (seed, arc, number of the frame on that arc): two schemes lose the same frames.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "congest/graph.h"

namespace lambdacast::sim::fabrics {

enum class Model : uint8_t { kA, kB };

struct MediumConfig {
  Model model = Model::kA;
  uint64_t budget_bps = 100'000'000;
  uint64_t line_bps = 100'000'000'000;  // of model B
  uint64_t propagation_ns = 500;
  double loss = 1e-4;      // probability, a frame
  double duplication = 0;  // probability, a frame
  double delay = 0;        // probability, a frame, of up to most_delay_ns more
  uint64_t most_delay_ns = 0;
};

struct Transit {
  uint64_t start_ns = 0;
  uint64_t left_ns = 0;  // its last bit is on the link
  unsigned copies = 0;   // that come: 0 ... 2
  uint64_t at_ns[2] = {};
};

class Medium {
 public:
  Medium(size_t arcs, const MediumConfig& config, uint64_t seed)
      : config_(config),
        loss_(config.loss),
        duplication_(config.duplication),
        delay_(config.delay),
        seed_(seed),
        arcs_(arcs) {}

  // A frame of so many bits is given to the directed link at `now_ns`.
  [[nodiscard]] Transit send(congest::ArcId arc, uint64_t bits, uint64_t now_ns) {
    Arc& state = arcs_[arc];
    Transit transit;
    transit.start_ns = std::max(state.free_ns, now_ns);
    const uint64_t budget_ns = duration_ns(bits, config_.budget_bps);
    const bool occupies = config_.model == Model::kA;
    transit.left_ns =
        transit.start_ns + (occupies ? budget_ns : duration_ns(bits, config_.line_bps));
    state.free_ns = transit.start_ns + budget_ns;
    base::SplitMix64 random(base::mix64(seed_ ^ arc) ^ state.sent++);
    if (loss_.hit(random())) return transit;
    transit.copies = duplication_.hit(random()) ? 2 : 1;
    for (unsigned copy = 0; copy < transit.copies; ++copy) {
      const uint64_t extra_ns = delay_.hit(random()) ? random.below(config_.most_delay_ns + 1) : 0;
      state.came_ns = std::max(state.came_ns, transit.left_ns + config_.propagation_ns + extra_ns);
      transit.at_ns[copy] = state.came_ns;
    }
    return transit;
  }

  [[nodiscard]] const MediumConfig& config() const { return config_; }
  // The time that a frame of so many bits takes of the budget.
  [[nodiscard]] uint64_t frame_ns(uint64_t bits) const {
    return duration_ns(bits, config_.budget_bps);
  }
  [[nodiscard]] uint64_t frames(congest::ArcId arc) const { return arcs_[arc].sent; }

 private:
  struct Arc {
    uint64_t free_ns = 0;  // the next frame may start
    uint64_t came_ns = 0;  // the last frame comes; the next one no earlier
    uint64_t sent = 0;     // frames
  };
  // 0 bits a second: no limit.
  [[nodiscard]] static uint64_t duration_ns(uint64_t bits, uint64_t bps) {
    if (bps == 0) return 0;
    return (bits * 1'000'000'000 + bps - 1) / bps;
  }

  const MediumConfig config_;
  const base::Chance loss_;
  const base::Chance duplication_;
  const base::Chance delay_;
  const uint64_t seed_;
  std::vector<Arc> arcs_;
};

}  // namespace lambdacast::sim::fabrics
