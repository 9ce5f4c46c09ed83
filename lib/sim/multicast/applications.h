// SPDX-License-Identifier: BSD-3-Clause
// The applications of a simulation: what they publish, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random.h"
#include "sim/multicast/recorder.h"
#include "sim/multicast/scenario.h"
#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::sim {

class Applications {
 public:
  // Both outlive it.
  Applications(const Scenario& scenario, Recorder& recorder, uint64_t seed);

  // Something is left to publish by the node's next lives.
  [[nodiscard]] bool has_more(size_t node) const {
    return scenario_.nodes[node].traffic.messages > nodes_[node].published;
  }
  void begin_epilogue(size_t node) { nodes_[node].epilogue_left = kEpilogueMessages; }
  void end_life(size_t node) { nodes_[node].epilogue_left = 0; }
  // Publishes what is due. Returns when there is more to do; nothing: never.
  [[nodiscard]] std::optional<uint64_t> publish(size_t node, uint32_t life, SimEndpoint& endpoint,
                                                uint64_t now_ns);

 private:
  struct Node {
    base::SplitMix64 random{0};
    uint64_t published = 0;
    uint32_t epilogue_left = 0;
  };
  [[nodiscard]] bool publish_one(Node& node, const Traffic& traffic, uint32_t life,
                                 SimEndpoint& endpoint, uint64_t now_ns);
  [[nodiscard]] wire::Qos next_qos(const Traffic& traffic, base::SplitMix64& random) const;

  const Scenario& scenario_;
  Recorder& recorder_;
  std::vector<Node> nodes_;
};

}  // namespace lambdacast::sim
