// SPDX-License-Identifier: BSD-3-Clause
// The rule by which a part of a view may decide for all of it
// (doc/decisions/0010-views-need-a-quorum.md).
#pragma once

#include <cstddef>

namespace lambdacast::base {

// May `votes` of a view's `members` decide? More than half; or exactly half with the tie-breaker
// among them, of which a view has at most one. Any two such sets have a member in common.
[[nodiscard]] constexpr bool is_quorum(size_t votes, size_t members, bool with_tie_breaker) {
  return 2 * votes > members || (2 * votes == members && with_tie_breaker && votes != 0);
}

}  // namespace lambdacast::base
