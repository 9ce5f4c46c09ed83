// One run of a scenario under a virtual clock. Equal scenario and seed give equal runs, to the last
// bit of the trace hash; the machine's clock and threads play no part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/engine/broadcast_fabric.h"
#include "sim/engine/event_queue.h"
#include "sim/multicast/frame_view.h"
#include "sim/multicast/log.h"
#include "sim/multicast/node.h"
#include "sim/multicast/scenario.h"
#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::sim {

class Simulation final : private GroupWorld {
 public:
  Simulation(Scenario scenario, uint64_t seed, EndpointFactory factory = make_shipped_endpoint);
  ~Simulation() override;

  // One line for whatever happens, in order.
  using Trace = std::function<void(const std::string&)>;
  void set_trace(Trace trace) { trace_ = std::move(trace); }
  // Each frame that a node transmits, in order, once, before any fault.
  using Tap = std::function<void(std::span<const uint8_t> frame, uint64_t now_ns)>;
  void set_tap(Tap tap) { tap_ = std::move(tap); }

  // Until scenario.end_ns. Call once.
  [[nodiscard]] Report run();

  // For scripted tests, before run() ends a node's last life: called at its end.
  std::function<void(size_t node, const SimEndpoint&)> at_end;

 private:
  friend class NodeHost;
  struct Event {
    enum class What : uint8_t {
      kArrive,
      kRun,
      kPublish,
      kAction,
      kEpilogue,
      kOut,
      kReturn,
      kGroups
    };
    What what = What::kRun;
    uint32_t which = 0;  // node, action, or life (kOut)
    Waiting waiting;     // kArrive
  };

  void handle(Event event);
  void act(const Action& action);
  void start(size_t node);
  void end_life(size_t node, const char* how);
  void begin_epilogue();
  void arrive(size_t node, Waiting waiting);
  void run_node(size_t node);
  void note_stable(Node& node);
  void give(Node& node);
  void note_given(Node& node, const Waiting& waiting, counters::DropReason outcome);
  [[nodiscard]] wire::Qos next_qos(const Traffic& traffic, base::SplitMix64& random) const;
  void note_silence(uint32_t receiver, uint32_t sender);
  void note_said(uint32_t receiver, uint32_t sender);
  void note_lost(uint32_t sender, size_t receiver);
  void out(uint32_t life);
  void note_heard(Node& node, const Waiting& waiting, counters::DropReason outcome);
  void wake(size_t node, uint64_t at_ns);
  void publish(size_t node);
  [[nodiscard]] bool publish_one(Node& node, const Traffic& traffic, bool epilogue);
  void note_endings(Node& node);

  // Groups with names (simulation_groups.cc)
  void start_groups(size_t node, const node::EndpointIdentity& identity);
  void act_on_groups(size_t node);
  void tell_groups(Node& node, const Told& told, const node::PacketInfo& info,
                   std::span<const uint8_t> message);
  bool publish_to_group(uint32_t life, std::span<const uint8_t> bytes, uint32_t group,
                        wire::Qos qos) override;
  void told_of_group(GroupTold told) override;
  [[nodiscard]] uint32_t life_called(const wire::StreamName& name) const override {
    return life_named(name.gid, name.incarnation);
  }

  // From NodeHost.
  void transmit(uint32_t life, std::span<const uint8_t> frame);
  [[nodiscard]] uint32_t publication_in(uint32_t life, const FrameView& view);
  [[nodiscard]] uint32_t log_data(uint32_t life, uint32_t transmitter, const FrameView& view);
  void deliver(uint32_t life, const node::PacketInfo& info, std::span<const uint8_t> message);
  void gap(uint32_t life, const node::GapEvent& gap);
  void receiver_event(uint32_t life, const reliability::ReceiverEvent& event);
  void view_event(uint32_t life, const node::ViewEvent& event);

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
  std::map<std::pair<uint32_t, uint32_t>, uint32_t>
      long_messages_;            // by life and number on the wire
  std::vector<wire::Gid> gids_;  // by node
  Log log_;
  uint64_t trace_hash_;
  Trace trace_;
  Tap tap_;
};

}  // namespace lambdacast::sim
