// SPDX-License-Identifier: BSD-3-Clause
// What an operator may choose about the node view, and what its members count. Times in
// nanoseconds of the node's own clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/control/view_control.h"

namespace lambdacast::membership {

struct MembershipConfig {
  // The composer says these.
  wire::StreamName self;
  size_t max_peers = 0;   // entries of the peer table
  uint64_t room_bps = 0;  // that it takes of all streams together as it joins; 0: no limit
  uint16_t order = 0;     // the digest of how it orders (ordering::order_digest())

  size_t initial_nodes = 2;      // the first view ever needs that many, self included
  size_t minimum_partition = 1;  // members that a view has at least
  // Exactly half of a view goes on if this node is in it.
  std::optional<wire::Gid> tie_breaker;
  uint64_t heartbeat_ns = 1'000'000;          // between two signs of life
  uint64_t suspect_after_ns = 1'000'000'000;  // of silence; at least four heartbeats
  uint64_t retry_ns = 200'000;                // until a ballot's unanswered frames are repeated
  uint64_t ack_ns = 20'000;  // least time between two frames that carry acknowledgements
};

struct MembershipCounters {
  uint64_t views = 0;    // installed
  uint64_t rounds = 0;   // begun here
  uint64_t members = 0;  // kMember frames sent
  uint64_t ballots = 0;  // kBallot frames sent
  uint64_t votes = 0;    // kVote frames sent
  uint64_t starved = 0;  // times that this node was not run for longer than a heartbeat
  uint64_t suspicions = 0;
  uint64_t held_out = 0;  // no count: joiners without a place (Coordinator::held_out)
};

}  // namespace lambdacast::membership
