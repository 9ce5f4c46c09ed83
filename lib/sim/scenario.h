// What a simulation runs: nodes, what each publishes and subscribes to, and what the fabric does to
// their frames. Together with a seed it determines a run completely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "endpoint/identity.h"
#include "rate_control/pacer.h"
#include "sim/broadcast_fabric.h"

namespace lambdacast::sim {

struct NodeScenario {
  uint64_t first_frame_seq = 0;
  uint32_t incarnation = 1;
  uint64_t messages = 0;             // published in all
  std::vector<uint32_t> publish_to;  // groups, taken in turn; not empty if messages > 0
  std::vector<uint32_t> subscribe;
  uint32_t min_message_bytes = 0;
  uint32_t max_message_bytes = 64;  // at most the path MTU minus 48
  uint64_t start_ns = 0;
  uint64_t publish_every_ns = 1000;  // one batch
  uint32_t batch_packets = 1;        // published at once if rate control allows
  rate_control::PacerConfig pacer;
  size_t max_peers = 64;
};

struct Scenario {
  std::vector<NodeScenario> nodes;
  FabricConfig fabric;  // receivers: filled up to one per node
  bool ipv6 = false;
  uint32_t path_mtu = 1024;
};

// The identity of node `node`: same queue pairs and keys for all, address and MAC by number.
[[nodiscard]] endpoint::EndpointIdentity node_identity(const Scenario& scenario, size_t node);

// A scenario drawn from a seed: 2 to 6 nodes, sequences often just below 2^24, 2^32 or 2^63, faults
// of each kind absent as often as present.
[[nodiscard]] Scenario random_scenario(uint64_t seed);

}  // namespace lambdacast::sim
