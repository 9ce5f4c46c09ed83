// A node of the simulation and its process: the endpoint under test with what surrounds it, a clock
// of its own, a ring in which frames wait to be received, and an application. It may crash and
// start again (as another life), or be paused like a process that the scheduler has forgotten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "base/random.h"
#include "sim/engine/node_clock.h"
#include "sim/multicast/group_host.h"
#include "sim/multicast/log.h"
#include "sim/multicast/packet_pool.h"
#include "sim/multicast/scenario.h"
#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::sim {

class Simulation;

// Data frames that a node takes from its ring at once, at most.
inline constexpr size_t kBurst = 32;

// What waits in a node's ring.
struct Waiting {
  uint32_t frame = kNobody;  // index in Log::frames; kNobody: a control frame
  uint32_t sender = 0;       // life
  bool corrupted = false;
  FrameBytes bytes;
};

// Of one life.
class NodeHost final : public node::Host {
 public:
  NodeHost(Simulation& simulation, uint32_t life) : simulation_(simulation), life_(life) {}

  PacketHandle allocate() override { return pool_.allocate(); }
  void free(PacketHandle packet) override;
  node::PacketInfo& info(PacketHandle packet) override { return PacketPool::at(packet).info; }
  uint8_t* frame(PacketHandle packet) override { return PacketPool::at(packet).bytes; }
  void transmit(std::span<const uint8_t> frame) override;
  void deliver(const node::PacketInfo& info, std::span<const uint8_t> message) override;
  void gap(const node::GapEvent& gap) override;
  void receiver_event(const reliability::ReceiverEvent& event) override;
  void view_event(const node::ViewEvent& event) override;

  [[nodiscard]] uint32_t life() const { return life_; }
  [[nodiscard]] PacketPool& pool() { return pool_; }
  [[nodiscard]] const PacketPool& pool() const { return pool_; }

 private:
  Simulation& simulation_;
  uint32_t life_;
  PacketPool pool_;
};

struct Node {
  [[nodiscard]] bool alive() const { return endpoint != nullptr; }

  NodeClock clock;
  base::SplitMix64 random{0};  // the application's
  std::unique_ptr<NodeHost> host;
  std::unique_ptr<SimEndpoint> endpoint;  // null: not started, or crashed
  std::unique_ptr<GroupHost> groups;      // null: likewise, or no groups have names
  uint32_t lives = 0;
  uint32_t life = kNobody;
  bool paused = false;
  std::deque<Waiting> ring;

  uint64_t last_run_ns = 0;
  uint64_t next_run_ns = kNever;  // the one event of those pushed that counts
  uint64_t spun = 0;              // runs in a row that did nothing, none of them later
  uint64_t last_rel_seq = 0;      // sent for the first time
  uint64_t rel_before_poll = 0;   // likewise, when it was polled last
  uint64_t published = 0;
  std::vector<uint32_t> recoverable;  // publications of this life, one for each packet
  size_t stable = 0;                  // so many of them are called stable
  uint64_t next_publish_ns = kNever;
  uint32_t epilogue_left = 0;
};

}  // namespace lambdacast::sim
