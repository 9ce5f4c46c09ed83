// One run of a scenario under a virtual clock. Equal scenario and seed give equal runs, to the last
// bit of the trace hash; the machine's clock and threads play no part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/broadcast_fabric.h"
#include "sim/event_queue.h"
#include "sim/frame_view.h"
#include "sim/log.h"
#include "sim/node.h"
#include "sim/scenario.h"
#include "sim/sim_endpoint.h"

namespace lambdacast::sim {

class Simulation {
 public:
  Simulation(Scenario scenario, uint64_t seed, EndpointFactory factory = make_shipped_endpoint);
  ~Simulation();

  // One line for whatever happens, in order.
  using Trace = std::function<void(const std::string&)>;
  void set_trace(Trace trace) { trace_ = std::move(trace); }

  // Until scenario.end_ns. Call once.
  [[nodiscard]] Report run();

  // For scripted tests, before run() ends a node's last life: called at its end.
  std::function<void(size_t node, const SimEndpoint&)> at_end;

 private:
  friend class NodeHost;
  struct Event {
    enum class What : uint8_t { kArrive, kRun, kPublish, kAction, kEpilogue };
    What what = What::kRun;
    uint32_t which = 0;  // node, or action
    Waiting waiting;     // kArrive
  };

  void handle(Event event);
  void act(const Action& action);
  void start(size_t node);
  void end_life(size_t node, const char* how);
  void begin_epilogue();
  void arrive(size_t node, Waiting waiting);
  void run_node(size_t node);
  void give(Node& node, const Waiting& waiting);
  void note_heard(Node& node, const Waiting& waiting, counters::DropReason outcome);
  void wake(size_t node, uint64_t at_ns);
  void publish(size_t node);
  [[nodiscard]] bool publish_one(Node& node, const Traffic& traffic, bool epilogue);
  void note_endings(Node& node);

  // From NodeHost.
  void transmit(uint32_t life, std::span<const uint8_t> frame);
  [[nodiscard]] uint32_t log_data(uint32_t life, const FrameView& view);
  void deliver(uint32_t life, const endpoint::PacketInfo& info, std::span<const uint8_t> message);
  void gap(uint32_t life, const endpoint::GapEvent& gap);
  void receiver_event(uint32_t life, const reliability::ReceiverEvent& event);

  [[nodiscard]] uint32_t life_of_peer(uint32_t life, size_t peer, uint32_t incarnation) const;
  [[nodiscard]] size_t node_of(const wire::Gid& gid) const;
  [[nodiscard]] uint32_t life_named(const wire::Gid& gid, uint32_t incarnation) const;
  [[nodiscard]] std::string name_of(uint32_t life) const;
  void hash(uint64_t value) { trace_hash_ = base::mix64(trace_hash_ ^ value); }
  [[nodiscard]] std::string describe(const FrameView& view) const;
  void say(const std::string& line);

  Scenario scenario_;
  EndpointFactory factory_;
  BroadcastFabric fabric_;
  EventQueue<Event> events_;
  uint64_t now_ns_ = 0;
  std::vector<Node> nodes_;
  std::vector<wire::Gid> gids_;  // by node
  Log log_;
  uint64_t trace_hash_;
  Trace trace_;
};

}  // namespace lambdacast::sim
