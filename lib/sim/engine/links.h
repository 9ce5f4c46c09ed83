// SPDX-License-Identifier: BSD-3-Clause
// The links of a topology as frames find them: each sends one frame after the other at its rate,
// and delivers it a latency later, unless it loses it or is cut meanwhile.
//
// A loss is a function of (seed, link, number of the frame on that link), whatever happens on other
// links.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "sim/engine/node_clock.h"
#include "sim/engine/topology.h"

namespace lambdacast::sim {

struct LinkConfig {
  uint64_t latency_ns = 0;
  uint64_t bits_per_second = 0;  // 0: a frame takes no time
  double loss = 0;               // probability, a frame
};

class Links {
 public:
  Links(const Topology& topology, const LinkConfig& config, uint64_t seed)
      : config_(config), loss_(config.loss), seed_(seed), links_(topology.links()) {}

  // When a frame of so many bits, given to the link at `now_ns`, has come to its other end;
  // nothing: it is lost, or the link is cut. Either way the link was busy with it.
  [[nodiscard]] std::optional<uint64_t> send(uint32_t link, uint64_t bits, uint64_t now_ns) {
    State& state = links_[link];
    state.free_ns = std::max(state.free_ns, now_ns) + duration_ns(bits);
    const uint64_t number = state.sent++;
    const bool lost = loss_.hit(base::mix64(base::mix64(seed_ ^ link) ^ number));
    if (lost || state.cut) return std::nullopt;
    return state.free_ns + config_.latency_ns;
  }
  // Frames on their way are lost.
  void cut(uint32_t link) {
    links_[link].cut = true;
    ++links_[link].cuts;
  }
  void mend(uint32_t link) { links_[link].cut = false; }
  // How often it was cut. A frame has come if that did not change while it was on its way.
  [[nodiscard]] uint32_t cuts(uint32_t link) const { return links_[link].cuts; }

 private:
  struct State {
    uint64_t free_ns = 0;  // it has sent all that it was given
    uint64_t sent = 0;     // frames
    uint32_t cuts = 0;
    bool cut = false;
  };
  [[nodiscard]] uint64_t duration_ns(uint64_t bits) const {
    if (config_.bits_per_second == 0) return 0;
    const auto scaled = static_cast<unsigned __int128>(bits) * 1'000'000'000;
    return static_cast<uint64_t>((scaled + config_.bits_per_second - 1) / config_.bits_per_second);
  }

  const LinkConfig config_;
  const base::Chance loss_;
  const uint64_t seed_;
  std::vector<State> links_;
};

}  // namespace lambdacast::sim
