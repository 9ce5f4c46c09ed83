// SPDX-License-Identifier: BSD-3-Clause
// One run of a scenario under a virtual clock. Equal scenario and seed give equal runs, to the last
// bit of the trace hash; the machine's clock and threads play no part.
//
// This class moves time: events, nodes, lives. What is written down of that is Recorder's; what
// applications publish is Applications'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node/life_watch.h"
#include "sim/engine/broadcast_fabric.h"
#include "sim/engine/event_queue.h"
#include "sim/multicast/applications.h"
#include "sim/multicast/group_host.h"
#include "sim/multicast/lock_recorder.h"
#include "sim/multicast/log.h"
#include "sim/multicast/recorder.h"
#include "sim/multicast/scenario.h"
#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::sim {

class Simulation final : private GroupWorld {
 public:
  Simulation(Scenario scenario, uint64_t seed, EndpointFactory factory = make_shipped_endpoint);
  ~Simulation() override;

  // One line for whatever happens, in order.
  void set_trace(Trace::Listener listener) { recorder_.trace().listen(std::move(listener)); }
  // Each frame that a node transmits, in order, once, before any fault.
  using Tap = std::function<void(std::span<const uint8_t> frame, uint64_t now_ns)>;
  void set_tap(Tap tap) { tap_ = std::move(tap); }

  // Runs until scenario.end_ns. Call it once.
  [[nodiscard]] Report run();

  // Is called at the end of a node's last life, before run() ends it, for scripted tests.
  std::function<void(size_t node, const SimEndpoint&)> at_end;
  // Acts for the application of a node with groups, each groups.act_every_ns, in the place of the
  // random one; for measurements.
  std::function<void(size_t node, GroupHost&)> act_for_application;
  [[nodiscard]] uint64_t now_ns() const { return now_ns_; }

 private:
  class LifeHost;
  static constexpr size_t kLcores = SimEndpoint::kLcores;
  struct Node {
    [[nodiscard]] bool alive() const { return endpoint != nullptr; }
    NodeClock clock;
    std::unique_ptr<LifeHost> host;
    std::unique_ptr<SimEndpoint> endpoint;  // null: not started, or crashed
    std::unique_ptr<GroupHost> groups;      // null: not alive, or no groups have names
    uint32_t lives = 0;
    uint32_t life = kNobody;
    bool paused = false;
    struct Lcore {
      uint64_t last_ns = kNever;  // its last turn
      uint64_t next_ns = kNever;  // its next one,
      EventId next;               // which waits
    };
    std::array<Lcore, kLcores> lcores;
    uint64_t spun = 0;       // turns in a row that did nothing, none of them later
    bool publishes = false;  // more, at the event `publication` or when the pause ends
    EventId publication;
    node::Occupant occupant;               // what the fabric says of its wavelength
    std::optional<node::LifeWatch> watch;  // of this life, over all wavelengths
    bool looks_late = false;               // once the pause ends
  };
  struct Event {
    enum class What : uint8_t {
      kArrive,    // in front of the node's line
      kReceived,  // by its port
      kTurn,
      kPublish,
      kAction,
      kEpilogue,
      kOut,
      kReturn,
      kGroups,
      kLook
    };
    What what = What::kTurn;
    uint32_t which = 0;  // node, action, or life (kOut)
    uint32_t lcore = 0;  // kTurn
    Waiting waiting;     // kArrive, kReceived
  };

  void handle(Event event);
  void act(const Action& action);
  void start(size_t node);
  void end_life(size_t node, const char* how);
  void note_ending(Node& node);
  void begin_epilogue();
  void arrive(Event event);
  void receive(size_t node, Waiting waiting);
  void wake(size_t node, size_t lcore, uint64_t at_ns);
  void wake_all(size_t node);
  void turn(size_t node, size_t lcore);
  void publish(size_t node);
  void schedule_publication(size_t node, uint64_t at_ns);
  void end_publications(Node& node);
  void out(uint32_t life);
  void transmit(uint32_t life, std::span<const uint8_t> frame, uint64_t offered_ns);

  // What the fabric knows of lives that have ended (simulation_deaths.cc)
  void occupy(size_t node, bool gone);
  void look(size_t node);

  // Groups with names (simulation_groups.cc)
  void start_groups(size_t node, const node::EndpointIdentity& identity);
  void act_on_groups(size_t node);
  void tell_groups(Node& node, const Told& told, const node::PacketInfo& info,
                   std::span<const uint8_t> message);
  bool publish_to_group(uint32_t life, std::span<const uint8_t> bytes, uint32_t group,
                        wire::Qos qos, wire::Kind kind) override;
  void told_of_call(CallTold told) override;
  [[nodiscard]] uint32_t newest_view(uint32_t life) const;
  void told_of_group(GroupTold told) override;
  bool write_register(uint32_t life, const LockName& lock, const LockGrant& grant) override;
  [[nodiscard]] uint64_t operational(uint32_t life) const override;
  [[nodiscard]] uint32_t life_called(const wire::StreamName& name) const override {
    return recorder_.life_named(name.gid, name.incarnation);
  }

  Scenario scenario_;
  const uint64_t seed_;
  EndpointFactory factory_;
  uint64_t now_ns_ = 0;
  Recorder recorder_;
  Applications applications_;
  BroadcastFabric fabric_;
  EventQueue<Event> events_;
  std::vector<Node> nodes_;
  LockRecorder locks_{recorder_.log()};
  Tap tap_;
};

}  // namespace lambdacast::sim
