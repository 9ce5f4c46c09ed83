// SPDX-License-Identifier: BSD-3-Clause
// A node under test with its surroundings: the stages that ship over SimEnv, an application, and
// the lcores that poll them. The seam between the simulation and the code under test: virtual so
// that a test can put itself in between and see that the checkers find what it breaks.
//
// An lcore is idle until one of its stages has a link, a port or a deadline to look at; then it
// makes a turn: it polls all of its stages, in the order of node.h or a drawn one, and goes on
// until a turn finds nothing to do. Nothing is polled by tick, so a stage that forgets a deadline
// stands still, and Liveness finds it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "node/node.h"
#include "sim/engine/node_clock.h"
#include "sim/multicast/sim_env.h"
#include "sim/multicast/wild.h"

namespace lambdacast::sim {

using SimNode = node::Node<SimEnv>;

// Facts about a node's process that its configuration does not have.
struct EndpointScenario {
  NodeWild wild;
  uint32_t take_most = 64;  // packets that the application takes at a time
  uint64_t seed = 0;        // of what is drawn here
  std::vector<uint32_t> subscribe;
};

// Where a node lives: its time, and who is told that an lcore has something to do.
struct Surroundings {
  const uint64_t& now_ns;  // true time
  const NodeClock& clock;  // the node's own
  std::function<void(size_t lcore)> wake;
};

class SimEndpoint {
 public:
  static constexpr size_t kLcores = kPlaces;

  SimEndpoint(const node::NodeConfig& config, const EndpointScenario& scenario, Surroundings around,
              NodeHost& host);
  virtual ~SimEndpoint();

  // A frame in front of the port.
  virtual void arrive(Waiting waiting);
  // That life is over, for certain.
  virtual void bury(const wire::StreamName& name);
  // All of a message or nothing. False: back-pressure, too long, or totally ordered and in no view.
  // `kind`: kData, or kGroup for a message of the group layer, which has to fit a packet.
  virtual bool publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
                       wire::Kind kind = wire::Kind::kData);
  // A turn of the lcore. Returns when it wants the next one, in true time; kNever: when it is
  // woken.
  virtual uint64_t turn(size_t lcore);
  [[nodiscard]] virtual bool flushed() const;
  // How many of the packets of recoverable messages published so far are stable, counted from the
  // first one on.
  [[nodiscard]] virtual uint64_t stable() const { return node_->publisher().stable(); }
  [[nodiscard]] uint64_t published() const { return node_->publisher().published_with(outgoing_); }
  // Its account of the frames of the peer with that index.
  [[nodiscard]] virtual reliability::StreamReport frames(size_t peer) const {
    return node_->frames().report(peer);
  }

  // It leaves its view, if it is in one, and then the fabric; left() when it has said all.
  void leave();
  [[nodiscard]] bool left() const { return node_->sender().said_the_end(); }
  // Did the last turn move anything, or was anything due?
  [[nodiscard]] bool was_busy() const { return busy_; }

  [[nodiscard]] SimNode& node() { return *node_; }
  [[nodiscard]] const SimNode& node() const { return *node_; }
  [[nodiscard]] const SimPackets& packets() const { return packets_; }
  [[nodiscard]] const SimReceiver& receiver() const { return receiver_; }
  [[nodiscard]] const SimTransmitter& transmitter() const { return transmitter_; }
  [[nodiscard]] uint64_t refusals() const { return application_refusals_; }
  // Packets of received frames that stages hold, those on their way between two of them apart.
  [[nodiscard]] size_t held() const;
  // Packets in use, those on their way between two stages apart.
  [[nodiscard]] size_t in_hand() const;
  // The end: destroys the node. Returns the packets that it has not given back.
  [[nodiscard]] size_t clear();
  [[nodiscard]] uint64_t links_filled() const;
  [[nodiscard]] uint32_t on_the_way(node::LinkId link) const;
  [[nodiscard]] size_t lcore_of(node::StageId stage) const;

 protected:
  [[nodiscard]] uint64_t now_local_ns() const { return around_.clock.local_ns(around_.now_ns); }
  // When the lcore's stages have something to do, on the node's clock.
  [[nodiscard]] virtual uint64_t next_deadline_ns(size_t lcore) const;

 private:
  class Application;
  // Wakes an lcore that has a stage at the end of a link.
  class LcoreWaker final : public Waker {
   public:
    LcoreWaker(SimEndpoint& endpoint, size_t lcore) : endpoint_(endpoint), lcore_(lcore) {}
    void wake() override {
      if (endpoint_.turning_ != lcore_) endpoint_.around_.wake(lcore_);
    }

   private:
    SimEndpoint& endpoint_;
    size_t lcore_;
  };
  [[nodiscard]] SimEnv::Ends ends_of(node::LinkId link);
  uint32_t poll_application(uint64_t now_ns);
  void quiesce();

  const EndpointScenario scenario_;
  const Surroundings around_;
  NodeHost& host_;
  base::SplitMix64 random_;
  SimPackets packets_;
  SimReceiver receiver_;
  SimTransmitter transmitter_;
  std::array<LcoreWaker, kLcores> wakers_;
  SimEnv env_;
  std::unique_ptr<SimNode> node_;
  std::array<std::vector<node::Stage*>, kLcores> turns_;
  std::unique_ptr<Application> application_;
  static constexpr size_t kNoLcore = ~size_t{0};
  size_t turning_ = kNoLcore;
  bool busy_ = false;
  bool leaving_ = false;
  std::vector<uint8_t> long_;  // a message of several packets, on its way
  node::Outgoing outgoing_;
  uint64_t tried_ns_ = 0;          // to go on with it, on the node's clock
  uint64_t refuses_until_ns_ = 0;  // the application
  uint64_t application_refusals_ = 0;
};

using EndpointFactory = std::function<std::unique_ptr<SimEndpoint>(
    size_t node, const node::NodeConfig&, const EndpointScenario&, Surroundings, NodeHost&)>;

// The stages that ship, for every node.
[[nodiscard]] std::unique_ptr<SimEndpoint> make_shipped_endpoint(size_t node,
                                                                 const node::NodeConfig& config,
                                                                 const EndpointScenario& scenario,
                                                                 Surroundings around,
                                                                 NodeHost& host);

}  // namespace lambdacast::sim

namespace lambdacast::node {

extern template class NeighborStage<sim::SimEnv>;
extern template class ReceiveStage<sim::SimEnv>;
extern template class ReliabilityStage<sim::SimEnv>;
extern template class OrderingStage<sim::SimEnv>;
extern template class OrderedDelivery<sim::SimEnv>;
extern template class RateControlStage<sim::SimEnv>;
extern template class Publisher<sim::SimEnv>;
extern template class Groups<sim::SimEnv>;
extern template class Node<sim::SimEnv>;

}  // namespace lambdacast::node
