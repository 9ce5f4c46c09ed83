// SPDX-License-Identifier: BSD-3-Clause
// A view: the members of the fabric that agree on order, by rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/quorum.h"
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

using base::is_quorum;

}  // namespace lambdacast::membership
