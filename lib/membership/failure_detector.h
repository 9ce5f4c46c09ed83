// SPDX-License-Identifier: BSD-3-Clause
// Who is alive, as one node sees it: when each peer was heard last, what it says of itself, which
// members of the view are silent, and which of them the others accuse.
//
// There is no perfect failure detector. Suspicion is silence for longer than suspect_after in
// virtual uptime (base/uptime_clock.h), and a newer incarnation of a node proves that the older one
// is dead. A fabric may know for certain that a life is over (bury): no silence is waited for then.
//
// Not thread-safe: the lcore of the endpoint's ordering stage owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/node_set.h"
#include "base/uptime_clock.h"
#include "membership/membership_config.h"
#include "membership/view.h"

namespace lambdacast::membership {

class FailureDetector {
 public:
  struct Peer {
    bool known = false;
    bool buried = false;           // the life of that name is over, for certain
    bool late = false;             // an older incarnation has been heard since that of `name`
    uint32_t older = 0;            // that one, if so
    size_t rank = kNoRank;         // in the view, of the incarnation that is a member
    wire::StreamName name;         // of the newest incarnation heard
    uint64_t heard_uptime_ns = 0;  // when that incarnation was heard last
    uint64_t along_uptime_ns = 0;  // when it was last in our view, or silent
    uint64_t said_ns = 0;          // by its clock, of its newest kMember; 0: none
    uint8_t flags = 0;             // of that frame
    uint16_t order = 0;            // the digest of how it orders, of that frame
    wire::MemberFrame said;        // and its content
  };

  explicit FailureDetector(const MembershipConfig& config);

  // --- time --------------------------------------------------------------------------------------
  void pass(uint64_t now_ns);
  // Time that counts against nobody: this node could not listen.
  void skip(uint64_t now_ns) { clock_.skip(now_ns); }
  [[nodiscard]] uint64_t uptime_ns() const { return clock_.uptime_ns(); }
  // Was this node not run for longer than a heartbeat, since it was asked last?
  [[nodiscard]] bool take_starved() { return std::exchange(starved_, false); }

  // --- what is heard -----------------------------------------------------------------------------
  void heard(size_t peer, const wire::StreamName& name, uint64_t now_ns);
  // False: the frame is older than one that was taken.
  [[nodiscard]] bool take(size_t peer, const wire::ControlHeader& header,
                          const wire::MemberFrame& frame);
  // The peer, a member, is in the view: its vote says so, before any member frame does.
  void came_along(size_t peer);
  // That life is over, for certain: it counts as silent from now on, whatever of it is still on its
  // way here. A later life of the node is another one. False: no such life is known here, or that
  // was known.
  [[nodiscard]] bool bury(const wire::StreamName& name);
  // No joiner holds on to a first view any more.
  void forget_holders();
  // The peer, a member, holds this node's window back. Counts for half of suspect_after.
  void accuse(size_t peer);

  // --- peers -------------------------------------------------------------------------------------
  [[nodiscard]] size_t size() const { return peers_.size(); }
  [[nodiscard]] const Peer& at(size_t peer) const { return peers_[peer]; }
  [[nodiscard]] const std::vector<Peer>& peers() const { return peers_; }
  // The index of a node whatever its incarnation; max_peers for self, kNoRank if it was never
  // heard.
  [[nodiscard]] size_t peer_named(const wire::StreamName& name) const;
  [[nodiscard]] bool alive(const Peer& peer) const {
    return peer.known && !peer.buried &&
           clock_.uptime_ns() - peer.heard_uptime_ns <= config_.suspect_after_ns;
  }
  // Is that life of the peer over? It is if another incarnation of the peer is heard, if the fabric
  // knows it for certain, or if the life itself says that it is in no view any more.
  [[nodiscard]] static bool is_over(const Peer& peer, const wire::StreamName& life) {
    return peer.buried || peer.name != life || peer.said.state == wire::MemberState::kExcluded;
  }
  // Does anybody alive say that it is in a view?
  [[nodiscard]] bool another_view_is_there() const;
  // Does a joiner hold on to a first view that may have been chosen, for all that it knows? The
  // vote that says otherwise may have been lost on its way to it, and it does not hear the next
  // lives of that view's members.
  [[nodiscard]] bool somebody_holds_on() const;

  // One that is alive and orders otherwise than this node does, or null.
  [[nodiscard]] const Peer* orders_otherwise() const;

  // More nodes are heard than a narrow view has room for.
  [[nodiscard]] bool crowded() const { return crowded_; }

  // --- the view ----------------------------------------------------------------------------------
  // Watches the members of the view from now on. Every member but this node is a known peer. A
  // member that was heard last, but was taken for an older incarnation that comes late, is the
  // peer.
  void watch(const View& view, size_t own_rank);
  // Decides anew who is suspected. True: also somebody who was not before.
  [[nodiscard]] bool look();
  [[nodiscard]] const base::NodeSet& suspected() const { return suspected_; }
  [[nodiscard]] bool suspects(size_t rank) const { return suspected_.contains(rank); }
  // Suspects whose lives are over: another incarnation of the node is heard, the fabric knows it
  // for certain, or the member has left the view of its own accord and says so. They will not vote
  // again.
  [[nodiscard]] const base::NodeSet& over() const { return over_; }
  // Members that this node accuses before the others: they are silent, or hold its window back.
  [[nodiscard]] base::NodeSet complaints() const { return suspected_ | slow_; }
  // Members that the others suspect, or that this node finds too slow.
  [[nodiscard]] base::NodeSet accused() const;
  // Is this node the lowest-ranked of the members that have come as far as it has?
  [[nodiscard]] bool speaks_for_view() const;
  // The index of the member of that rank; max_peers for self.
  [[nodiscard]] size_t peer_of(size_t rank) const { return rank_peer_[rank]; }
  [[nodiscard]] const Peer& member(size_t rank) const { return peers_[rank_peer_[rank]]; }
  // Uptime since the member of that rank was heard last; 0: it is this node.
  [[nodiscard]] uint64_t silent_ns(size_t rank) const;

  [[nodiscard]] uint64_t starved() const { return starved_times_; }
  [[nodiscard]] uint64_t suspicions() const { return suspicions_; }

 private:
  void follow(Peer& peer, const wire::StreamName& name);

  const MembershipConfig config_;
  base::UptimeClock clock_;
  std::vector<Peer> peers_;
  View view_;  // that is watched
  size_t own_rank_ = kNoRank;
  std::vector<size_t> rank_peer_;
  base::NodeSet suspected_;      // by rank
  base::NodeSet over_;           // by rank
  base::NodeSet slow_;           // by rank: accused by our own sending half,
  uint64_t slow_uptime_ns_ = 0;  // last then
  bool crowded_ = false;
  bool starved_ = false;
  uint64_t starved_uptime_ns_ = 0;  // last then
  uint64_t starved_times_ = 0;
  uint64_t suspicions_ = 0;
};

}  // namespace lambdacast::membership
