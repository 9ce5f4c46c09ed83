// SPDX-License-Identifier: BSD-3-Clause
// Stage `receive`: port -> parse, ICRC, classify -> link to reliability.
//
//   outcome of a frame                     goes to
//   kNone                                  kReceived, in order of arrival
//   may be ARP, ND, IGMP, MLD              the neighbor stage, if the node has one; then freed
//   any other reason (counters)            freed, counted under the reason
//
// A full link stops the pull: frames wait in the port.
#pragma once

#include <optional>
#include <vector>

#include "node/env.h"
#include "node/frame_classifier.h"
#include "node/identity_guard.h"
#include "node/neighbor_stage.h"
#include "node/newcomers.h"
#include "node/port_drain.h"
#include "node/stage.h"
#include "node/stage_counters.h"
#include "node/version_watch.h"

namespace lambdacast::node {

struct ReceiveReport {
  struct Peer {
    wire::Gid gid;
    uint32_t qpn = 0;
  };
  StageCounters counters;
  std::vector<Peer> peers;     // that it knows, by index
  uint64_t places_reused = 0;  // times that an index got another peer
};

template <typename Env>
class ReceiveStage final : public Stage {
 public:
  using Packet = typename Env::Packet;

  // `neighbor`: of a node on a real network, on the same lcore; else null. `guard`: hears what
  // comes of this node's own address; null: nobody does. `places`: by which reliability tells whose
  // place is free. `drain`: is told how far the port has been emptied.
  ReceiveStage(const FrameClassifierConfig& config, uint32_t burst, Env& env,
               NeighborStage<Env>* neighbor, IdentityGuard* guard, PlaceHandover& places,
               PortDrain& drain, typename Env::Queue& out)
      : classifier_(config),
        newcomers_(classifier_.peers(), places),
        burst_(burst),
        env_(env),
        neighbor_(neighbor),
        guard_(guard),
        drain_(drain),
        out_(out) {}

  [[nodiscard]] const char* name() const override { return "receive"; }
  uint32_t poll(uint64_t now_ns) override;
  // Frames and room are what it waits for, and places for newcomers.
  [[nodiscard]] uint64_t next_deadline_ns() const override {
    return newcomers_.has_turn() ? 0 : kNever;
  }

  [[nodiscard]] const StageCounters& counters() const { return counters_; }
  // Fills in the report on its lcore. Allocates nothing if out.peers has the capacity.
  void report(ReceiveReport& out) const;
  // The peers that this stage has learnt. An entry is written before the first packet that names it
  // goes on. Other lcores may ask for its name.
  [[nodiscard]] PeerTable& peers() { return classifier_.peers(); }
  [[nodiscard]] const PeerTable& peers() const { return classifier_.peers(); }
  // One control thread: an endpoint whose version of the protocol this program does not know.
  [[nodiscard]] std::optional<VersionEvent> take_version() { return versions_.take_event(); }
  // One control thread: the oldest event about a peer that found the peer table full.
  [[nodiscard]] std::optional<PlaceEvent> take_place() { return newcomers_.take_event(); }

 private:
  [[nodiscard]] counters::DropReason refused(Packet packet, counters::DropReason reason,
                                             uint64_t now_ns);
  void tell_drain(uint32_t got, uint32_t wanted);

  FrameClassifier classifier_;
  VersionWatch versions_;
  Newcomers newcomers_;
  const uint32_t burst_;
  Env& env_;
  NeighborStage<Env>* const neighbor_;
  IdentityGuard* const guard_;
  PortDrain& drain_;
  typename Env::Queue& out_;
  StageCounters counters_;
};

}  // namespace lambdacast::node
