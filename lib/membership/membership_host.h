// SPDX-License-Identifier: BSD-3-Clause
// What membership asks of the endpoint around it, and tells it: streams and order are not its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "membership/ballot.h"
#include "membership/view.h"
#include "wire/control/view_control.h"

namespace lambdacast::membership {

// Peers by index of the peer table; the node itself is max_peers.
class MembershipHost {
 public:
  virtual ~MembershipHost() = default;
  // The position through which everything of that incarnation's stream has been taken;
  // wire::kNotOpen, also if the peer's stream is another incarnation's.
  virtual uint64_t held_through(size_t peer, const wire::StreamName& name) = 0;
  // This node may be in a view with those who join in `value`, whatever becomes of them: their
  // streams are to be followed to its end, also when a later incarnation speaks. Only the last call
  // counts; nullptr: there will be no such view.
  virtual void hold_on_to(const Value* value) = 0;
  // The same as held_through(), for a peer that departs. A position that its holder does not have
  // either counts as held, and what counts may still be on its way through this node.
  virtual uint64_t here_through(size_t peer, const wire::StreamName& name) = 0;
  // The view without the peer is chosen: positions up to the cut that its holder lacks are lost.
  virtual void give_up(size_t peer, uint64_t cut) = 0;
  // The peer stays, though an earlier ballot had it depart: it has what others do not.
  virtual void stays(size_t peer) = 0;
  // The stream of a departed peer goes up to the cut: missing positions are to be asked for.
  virtual void fetch(size_t peer, uint64_t cut) = 0;
  // Others will ask this node for it.
  virtual void serve(size_t peer, uint64_t cut) = 0;
  // A member has to stop: nothing is to be marked, acknowledged or delivered until installed(). A
  // joiner has to keep what comes.
  virtual void promised() = 0;
  // Has the end of the view before been delivered? A member is not ready for another one before.
  virtual bool settled() = 0;
  // `value` was chosen: its old members make up `before`, its new ones `now`.
  virtual void installed(const View& before, const View& now, const Value& value) = 0;
  // This node is out of the view; `left`: as it wished.
  virtual void excluded(bool left) = 0;
  // This node has applied the marks of the member of that rank through the result.
  virtual uint64_t own_ack(size_t rank) = 0;
  // The member of that rank says that it is in our view, in no ballot for the next one, and does
  // not suspect this node.
  virtual void vouched(size_t member_rank) = 0;
  // Another member has applied the marks of each rank so far; most of them are known already.
  virtual void acknowledged(size_t member_rank, std::span<const uint64_t> through) = 0;
};

}  // namespace lambdacast::membership
