// SPDX-License-Identifier: BSD-3-Clause
// The node view of a fabric, as one node takes part in it: who is alive, which view comes next, and
// when the old one ends. Views are chosen by ballot among the members of the view before, over
// control frames that may be lost, repeated and late. Four parts with a state each:
//
//   FailureDetector   who is heard, who is suspected, whom the members accuse
//   Member            the view, and what this node has promised, holds and accepted
//   Coordinator       whether the view has to change, and the round that this node drives
//   Speech            member frames, and the last view for those who have not heard it
//   Impasse           what keeps this node from a view, and whether its own is over for good
//
// From its promise until the next view a member marks, acknowledges and delivers nothing. One that
// finds no quorum stays there: it is in a partition that is not primary (stranded()). It is out
// once no quorum can be had any more, because too many of the members live on as others.
//
// Streams and order are the host's. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "membership/coordinator.h"
#include "membership/failure_detector.h"
#include "membership/impasse.h"
#include "membership/member.h"
#include "membership/membership_config.h"
#include "membership/membership_host.h"
#include "membership/speech.h"
#include "membership/view.h"
#include "wire/control/view_control.h"

namespace lambdacast::membership {

class MembershipProtocol {
 public:
  using State = wire::MemberState;

  MembershipProtocol(const MembershipConfig& config, MembershipHost& host);

  // Any control frame of a peer's own; `name` with its incarnation.
  void heard(size_t peer, const wire::StreamName& name, uint64_t now_ns) {
    detector_.heard(peer, name, now_ns);
  }
  // A payload of kMember, kBallot or kVote that load_control accepted, of a peer just heard().
  void accept(size_t peer, const uint8_t* payload, const wire::ControlHeader& header,
              uint64_t now_ns);
  void tick(uint64_t now_ns, bool listening = true);
  // Writes the next control payload that is due, or returns 0. `room` at least 256: what needs more
  // goes in parts.
  [[nodiscard]] size_t next_control(uint8_t* payload, size_t room, uint64_t now_ns);
  [[nodiscard]] uint64_t next_deadline_ns() const;
  // Can what next_control() would write wait, to be covered by a later frame?
  [[nodiscard]] bool may_wait(uint64_t now_ns) const {
    return state() == State::kOperational && !member_.vote_due() && !member_.report_due() &&
           !coordinator_.ballot_due() && speech_.only_acknowledges(now_ns);
  }

  [[nodiscard]] uint64_t heartbeat_due_ns() const { return speech_.heartbeat_due_ns(); }

  // An acknowledgement has changed: it goes out as soon as ack_ns allows, from that time on.
  void hurry(uint64_t from_ns = 0) { speech_.hurry(from_ns); }
  // It asks to be let out; the next view is without it.
  void leave() {
    member_.leave();
    speech_.hurry();
  }
  // The peer holds this node's window back for too long (evict): it should not stay a member. Holds
  // for half of suspect_after, unless it is said again.
  void accuse(size_t peer) { detector_.accuse(peer); }
  // That life is over, for certain (FailureDetector::bury): if it is a member, the next view is
  // without it, and the ballot for that does not wait for suspect_after.
  void bury(const wire::StreamName& name) {
    if (detector_.bury(name)) next_look_ns_ = 0;
  }
  // This node cannot go on as a member.
  void abandon();

  // The index of a node whatever its incarnation; max_peers for self, kNoRank if it was never
  // heard.
  [[nodiscard]] size_t peer_named(const wire::StreamName& name) const {
    return detector_.peer_named(name);
  }
  // Is the peer, a member, not to be one of the view that is being made?
  [[nodiscard]] bool departs(size_t peer) const {
    return member_.departs(view().members[detector_.at(peer).rank]);
  }
  // May it be a member of a view that it has not heard of yet?
  [[nodiscard]] bool has_accepted() const { return member_.accepted().has_value(); }
  [[nodiscard]] const wire::StreamName& self() const { return self_; }

  [[nodiscard]] State state() const { return member_.state(); }
  [[nodiscard]] const View& view() const { return member_.view(); }
  [[nodiscard]] size_t own_rank() const { return member_.own_rank(); }
  // The index in the peer table of the member of that rank; max_peers for self.
  [[nodiscard]] size_t peer_of(size_t rank) const { return detector_.peer_of(rank); }
  [[nodiscard]] bool is_member(size_t peer) const {
    return peer < detector_.size() && detector_.at(peer).rank != kNoRank;
  }
  // Is that incarnation of the peer out of a view that this node was in?
  [[nodiscard]] bool has_expelled(size_t peer, uint64_t incarnation) const {
    wire::StreamName name = detector_.at(peer).name;
    name.incarnation = static_cast<uint32_t>(incarnation);
    return member_.was_expelled(name);
  }
  [[nodiscard]] size_t rank_of_peer(size_t peer) const { return detector_.at(peer).rank; }
  [[nodiscard]] bool left() const { return member_.left(); }
  // Recovering for longer than suspect_after: no quorum is to be had.
  [[nodiscard]] bool stranded() const { return member_.stranded(); }
  // What is in the way of a view, once it has been for suspect_after.
  [[nodiscard]] const Standing& standing() const { return impasse_.standing(); }
  [[nodiscard]] bool suspects(size_t rank) const { return detector_.suspects(rank); }
  // Uptime since the member of that rank was heard last; 0: it is this node.
  [[nodiscard]] uint64_t silent_ns(size_t rank) const { return detector_.silent_ns(rank); }
  [[nodiscard]] MembershipCounters counters() const;

 private:
  void take_member(size_t peer, const uint8_t* payload, const wire::ControlHeader& header);
  void take_acknowledgements(size_t rank, const wire::MemberFrame& frame, const uint8_t* payload,
                             size_t entries);
  void take_ballot(const uint8_t* payload, const wire::ControlHeader& header);
  void take_vote(size_t peer, const uint8_t* payload, const wire::ControlHeader& header);
  void drive(uint64_t now_ns);
  void follow(Coordinator::Next next, uint64_t now_ns);
  void try_install(uint64_t now_ns);
  void leave_view(bool left);
  void give_up();

  const wire::StreamName self_;
  const uint64_t look_every_ns_;
  MembershipHost& host_;
  FailureDetector detector_;
  Member member_;
  Coordinator coordinator_;
  Speech speech_;
  Impasse impasse_;
  uint64_t tick_ns_ = 0;
  uint64_t next_look_ns_ = 0;
};

}  // namespace lambdacast::membership
