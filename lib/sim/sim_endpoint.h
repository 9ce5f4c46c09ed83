// The seam between the simulation and the code under test: the shipped EndpointCore, as it is.
// Virtual so that a test can put a broken one in its place and see that the checkers find it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "endpoint/endpoint_core.h"

namespace lambdacast::sim {

class SimEndpoint {
 public:
  explicit SimEndpoint(const endpoint::EndpointConfig& config) : core_(config) {}
  virtual ~SimEndpoint() = default;

  // As EndpointCore::receive. The frame may be written to, for the sake of tests.
  virtual counters::DropReason receive(uint8_t* frame, size_t bytes, uint64_t now_ns,
                                       endpoint::PacketInfo& out) {
    return core_.receive(frame, bytes, now_ns, out);
  }
  virtual size_t prepare(uint8_t* frame, size_t application_bytes, uint32_t group, wire::Qos qos,
                         uint64_t now_ns) {
    return core_.prepare(frame, application_bytes, group, qos, now_ns);
  }
  virtual uint64_t allowance(uint64_t now_ns) { return core_.allowance(now_ns); }

  // The account of a peer's stream after the peer said what it sent: first to last inclusive, or
  // nothing at all. Empty: the endpoint does not know the peer.
  virtual std::optional<reliability::StreamReport> finish(const endpoint::EndpointIdentity& peer,
                                                          uint64_t first_frame_seq,
                                                          uint64_t sent_packets) {
    const uint16_t index = core_.receive_core().peers().find(peer.gid, peer.data_qpn);
    if (index == endpoint::kNoPeer) return std::nullopt;
    if (sent_packets != 0) {
      core_.reliability_core().finish(index, peer.incarnation, first_frame_seq,
                                      first_frame_seq + sent_packets - 1);
    }
    return core_.reliability_core().report(index);
  }

  [[nodiscard]] endpoint::EndpointCore& core() { return core_; }
  [[nodiscard]] const endpoint::EndpointCore& core() const { return core_; }

 private:
  endpoint::EndpointCore core_;
};

using EndpointFactory =
    std::function<std::unique_ptr<SimEndpoint>(size_t node, const endpoint::EndpointConfig&)>;

// The shipped core for every node.
[[nodiscard]] inline std::unique_ptr<SimEndpoint> make_shipped_endpoint(
    size_t /*node*/, const endpoint::EndpointConfig& config) {
  return std::make_unique<SimEndpoint>(config);
}

}  // namespace lambdacast::sim
