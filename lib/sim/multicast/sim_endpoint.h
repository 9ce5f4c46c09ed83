// The seam between the simulation and the code under test: the shipped MulticastCore, as it is.
// Virtual so that a test can put a broken one in its place and see that the checkers find it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "node/multicast_core.h"

namespace lambdacast::sim {

class SimEndpoint {
 public:
  SimEndpoint(const node::MulticastConfig& config, node::Host& host) : core_(config, host) {}
  virtual ~SimEndpoint() = default;

  // A burst, as the data path takes them (MulticastCore::receive).
  virtual void receive(std::span<const std::span<const uint8_t>> frames, uint64_t now_ns,
                       std::span<counters::DropReason> outcomes) {
    core_.receive(frames, now_ns, outcomes);
  }
  virtual bool publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
                       wire::Kind kind = wire::Kind::kData) {
    return core_.publish(message, group, qos, kind);
  }
  virtual void poll(uint64_t now_ns, uint32_t most) { core_.poll(now_ns, most); }
  [[nodiscard]] virtual uint64_t next_deadline_ns() const { return core_.next_deadline_ns(); }
  [[nodiscard]] virtual bool flushed() const { return core_.flushed(); }
  // Of the recoverable messages published.
  [[nodiscard]] virtual uint64_t stable() const { return core_.stable(); }
  // Of the frames of the peer with that index.
  [[nodiscard]] virtual reliability::StreamReport frames(size_t peer) const {
    return core_.frames().report(peer);
  }

  [[nodiscard]] node::MulticastCore& core() { return core_; }
  [[nodiscard]] const node::MulticastCore& core() const { return core_; }

 private:
  node::MulticastCore core_;
};

using EndpointFactory = std::function<std::unique_ptr<SimEndpoint>(
    size_t node, const node::MulticastConfig&, node::Host&)>;

// The shipped core for every node.
[[nodiscard]] inline std::unique_ptr<SimEndpoint> make_shipped_endpoint(
    size_t /*node*/, const node::MulticastConfig& config, node::Host& host) {
  return std::make_unique<SimEndpoint>(config, host);
}

}  // namespace lambdacast::sim
