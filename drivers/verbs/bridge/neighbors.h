// SPDX-License-Identifier: BSD-3-Clause
// The neighbor protocols of a bridge: it answers for the device's two addresses, finds peers, and
// tells the network which groups are wanted. Frames come in and go out, and time is an argument.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "neighbor/membership_frame.h"
#include "neighbor/neighbor_protocol.h"

namespace lambdacast::verbs {

class Neighbors {
 public:
  struct Self {
    wire::MacAddress mac;
    wire::Gid gid;  // the link-local one follows from `mac`
    std::optional<uint16_t> vlan_tci;
    std::vector<std::pair<wire::Gid, wire::MacAddress>> permanent;
    size_t max_neighbors = 256;
    uint64_t seed = 1;
  };
  static constexpr size_t kMaxFrameBytes = neighbor::kMaxNeighborFrameBytes;

  explicit Neighbors(const Self& self);

  void start(uint64_t now_ns);
  // Joins those that are new and leaves those that are no longer there.
  void listen(std::span<const wire::Gid> groups, uint64_t now_ns);
  void leave(uint64_t now_ns);  // all; then transmit until quiet()
  [[nodiscard]] bool quiet() const;

  // A frame that is no RoCE datagram.
  void receive(const uint8_t* frame, size_t bytes, uint64_t now_ns);
  [[nodiscard]] std::optional<wire::MacAddress> resolve(const wire::Gid& gid, uint64_t now_ns);
  // The next frame that is due, at most kMaxFrameBytes; 0: none is.
  [[nodiscard]] size_t transmit(uint64_t now_ns, uint8_t* frame);
  // The addresses that the port's filter has to let through.
  [[nodiscard]] std::vector<wire::MacAddress> group_macs() const;

  [[nodiscard]] const wire::Gid& link_local() const { return speaker_.link_local; }

 private:
  void hear_query(const uint8_t* frame, size_t bytes, uint64_t now_ns);
  [[nodiscard]] size_t report(neighbor::GroupMembership& group, uint64_t now_ns, uint8_t* frame);

  Self self_;
  neighbor::MembershipSpeaker speaker_;
  neighbor::NeighborProtocol core_;             // of self_.gid
  neighbor::NeighborProtocol link_local_core_;  // of the link-local address
  // One each, so that groups come and go singly.
  std::map<wire::Gid, neighbor::GroupMembership> groups_;
  std::vector<neighbor::GroupMembership> leaving_;
  uint64_t joins_ = 0;
};

}  // namespace lambdacast::verbs
