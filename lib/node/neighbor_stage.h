// SPDX-License-Identifier: BSD-3-Clause
// Stage `neighbor` of a node on a real network: drives neighbor::NeighborProtocol on the receive
// lcore. Frames come from the receive stage, which has refused them as data. What is to be said
// goes by a link of its own to rate_control, the only stage that transmits, and goes out ahead of
// data.
#pragma once

#include <optional>

#include "counters/drop_reason.h"
#include "neighbor/mac_directory.h"
#include "neighbor/neighbor_protocol.h"
#include "node/env.h"
#include "node/stage.h"

namespace lambdacast::node {

struct NeighborReport {
  counters::NeighborCounters counters;
  std::optional<neighbor::AddressConflict> conflict;
};

template <typename Env>
class NeighborStage final : public Stage {
 public:
  NeighborStage(const neighbor::NeighborConfig& config, Env& env, typename Env::Queue& out);

  [[nodiscard]] const char* name() const override { return "neighbor"; }
  uint32_t poll(uint64_t now_ns) override;
  [[nodiscard]] uint64_t next_deadline_ns() const override { return started_ ? due_ns_ : 0; }

  // --- the receive lcore ----------------------------------------------------------------------
  // Whether a frame refused for this reason may be ARP, neighbor discovery, IGMP or MLD.
  [[nodiscard]] static bool may_be_control(counters::DropReason reason) {
    return reason == counters::DropReason::kNotIp || reason == counters::DropReason::kNotUdp ||
           reason == counters::DropReason::kIpv6Extension;
  }
  // The reason to count the frame under: kNeighborMessage if it was taken.
  [[nodiscard]] counters::DropReason take(const uint8_t* frame, size_t bytes,
                                          counters::DropReason refused, uint64_t now_ns);
  // Where that node is, if it is known; if not it is asked for, and the next call may know.
  neighbor::Lookup resolve(const wire::Gid& gid, uint64_t now_ns);
  // The link was down and is up again.
  void renew(uint64_t now_ns);
  // Leaves the groups; poll until quiet().
  void leave(uint64_t now_ns);
  [[nodiscard]] bool quiet() const { return protocol_.quiet(); }
  [[nodiscard]] const neighbor::NeighborProtocol& protocol() const { return protocol_; }
  // The other host that was heard to claim this node's address, if there is one.
  [[nodiscard]] const std::optional<neighbor::AddressConflict>& conflict() const {
    return protocol_.conflict();
  }
  // Room for all there may be; those in state kNone are none.
  [[nodiscard]] const auto& neighbors() const { return protocol_.table().entries(); }
  void report(NeighborReport& out) const { out = {protocol_.counters(), protocol_.conflict()}; }

  // --- any lcore ------------------------------------------------------------------------------
  // The MAC addresses of peers, for unicast frames.
  [[nodiscard]] const neighbor::MacDirectory& directory() const { return directory_; }

 private:
  [[nodiscard]] bool send_one(uint64_t now_ns);
  void note_change();

  neighbor::NeighborProtocol protocol_;
  neighbor::MacDirectory directory_;
  Env& env_;
  typename Env::Queue& out_;
  bool started_ = false;
  uint64_t due_ns_ = 0;  // nothing to send before
};

}  // namespace lambdacast::node
