// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/lease.h"

#include <algorithm>

#include "base/quorum.h"

namespace lambdacast::rate_control {

void Lease::begin(size_t members, size_t own_rank, std::optional<size_t> tie_breaker) {
  members_ = members;
  own_rank_ = own_rank;
  tie_breaker_ = tie_breaker;
  renewed_ns_.fill(0);
}

void Lease::pass(uint64_t now_ns) {
  look_for_gap(now_ns);
  last_ns_ = now_ns;
  // Looked at before it ends, for that costs a sort.
  if (members_ != 0 && now_ns + length_ns_ / 2 >= until_ns_) {
    const uint64_t renewed_ns = renewed_by_quorum_ns();
    if (renewed_ns != 0) until_ns_ = std::max(until_ns_, renewed_ns + length_ns_);
  }
  valid_ = now_ns < until_ns_;
}

// The latest time since which a quorum has renewed it, this endpoint included; 0: none has.
uint64_t Lease::renewed_by_quorum_ns() const {
  std::array<size_t, wire::kMaxMembers> ranks;
  size_t others = 0;
  for (size_t rank = 0; rank < members_; ++rank) {
    if (rank != own_rank_ && renewed_ns_[rank] != 0) ranks[others++] = rank;
  }
  std::sort(ranks.begin(), ranks.begin() + others,
            [&](size_t a, size_t b) { return renewed_ns_[a] > renewed_ns_[b]; });
  bool with_tie_breaker = tie_breaker_ == own_rank_;
  if (base::is_quorum(1, members_, with_tie_breaker)) return last_ns_;
  for (size_t i = 0; i < others; ++i) {
    with_tie_breaker = with_tie_breaker || tie_breaker_ == ranks[i];
    if (base::is_quorum(i + 2, members_, with_tie_breaker)) return renewed_ns_[ranks[i]];
  }
  return 0;
}

}  // namespace lambdacast::rate_control
