// What a node's membership is configured with, and what it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/control/view_control.h"

namespace lambdacast::membership {

struct MembershipConfig {
  wire::StreamName self;
  size_t max_peers = 64;         // of the peer table
  size_t initial_nodes = 1;      // that the first view ever needs, self included
  size_t minimum_partition = 1;  // members that a view has at least
  std::optional<wire::Gid> tie_breaker;
  uint64_t heartbeat_ns = 1'000'000;
  uint64_t suspect_after_ns = 500'000'000;
  uint64_t retry_ns = 200'000;  // of a ballot's frames that are not answered
  uint64_t ack_ns = 5'000;      // least time between two frames that carry acknowledgements
};

struct MembershipCounters {
  uint64_t views = 0;    // installed
  uint64_t rounds = 0;   // begun here
  uint64_t members = 0;  // kMember frames sent
  uint64_t ballots = 0;  // kBallot frames sent
  uint64_t votes = 0;    // kVote frames sent
  uint64_t starved = 0;  // times that this node was not run for longer than a heartbeat
  uint64_t suspicions = 0;
};

}  // namespace lambdacast::membership
