// SPDX-License-Identifier: BSD-3-Clause
// A view: the members of the fabric that agree on order, by rank, and how many of them decide about
// the next one (doc/decisions/0010-views-need-a-quorum.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wire/control/view_control.h"

namespace lambdacast::membership {

inline constexpr size_t kNoRank = ~size_t{0};

struct View {
  wire::ViewId id;  // epoch 0: none
  std::vector<wire::StreamName> members;

  [[nodiscard]] size_t size() const { return members.size(); }
  // kNoRank: not a member. By incarnation too: another incarnation of a node is another member.
  [[nodiscard]] size_t rank_of(const wire::StreamName& name) const {
    const auto found = std::find(members.begin(), members.end(), name);
    return found == members.end() ? kNoRank : static_cast<size_t>(found - members.begin());
  }
};

// May `votes` of a view's `members` decide? More than half; or exactly half with the tie-breaker
// among them, of which a view has at most one. Any two such sets have a member in common.
[[nodiscard]] constexpr bool is_quorum(size_t votes, size_t members, bool with_tie_breaker) {
  return 2 * votes > members || (2 * votes == members && with_tie_breaker && votes != 0);
}

}  // namespace lambdacast::membership
