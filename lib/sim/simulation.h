// One run of a scenario under a virtual clock. Equal scenario and seed give equal runs, to the last
// bit of the trace hash; the machine's clock and threads play no part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "sim/broadcast_fabric.h"
#include "sim/event_queue.h"
#include "sim/log.h"
#include "sim/scenario.h"
#include "sim/sim_endpoint.h"
#include "sim/virtual_clock.h"

namespace lambdacast::sim {

// What the code under test says at the end.
struct NodeReport {
  endpoint::EndpointCounters counters;
  uint64_t first_frame_seq = 0;
  uint64_t sent_packets = 0;
  uint64_t psn_wraps = 0;
  // By sender; empty for a sender this node never got to know, and for the node itself.
  std::vector<std::optional<reliability::StreamReport>> streams;
};

struct Report {
  Log log;  // the truth
  std::vector<NodeReport> nodes;
  uint64_t trace_hash = 0;
  uint64_t end_ns = 0;
};

class Simulation {
 public:
  Simulation(Scenario scenario, uint64_t seed, EndpointFactory factory = make_shipped_endpoint);

  // Until every message is published and every frame has arrived. Call once.
  [[nodiscard]] Report run();

 private:
  struct Event {
    size_t node = 0;
    bool publish = false;  // else a frame arrives
    size_t frame = 0;      // index in Log::sent
    bool corrupted = false;
    std::vector<uint8_t> bytes;
  };
  struct Node {
    std::unique_ptr<SimEndpoint> endpoint;
    uint64_t published = 0;
  };

  void publish_batch(size_t node);
  void publish_one(size_t node);
  void arrive(Event event);
  void deliver(const SimEndpoint& endpoint, const endpoint::PacketInfo& info,
               const std::vector<uint8_t>& frame, Arrival& arrival) const;
  void finish(Report& report);
  [[nodiscard]] size_t node_of(const wire::Gid& gid, uint32_t qpn) const;
  void trace(uint64_t value) { trace_hash_ = base::mix64(trace_hash_ ^ value); }

  Scenario scenario_;
  base::SplitMix64 random_;  // the applications'
  BroadcastFabric fabric_;
  VirtualClock clock_;
  EventQueue<Event> events_;
  std::vector<Node> nodes_;
  Log log_;
  uint64_t trace_hash_ = 0;
};

}  // namespace lambdacast::sim
