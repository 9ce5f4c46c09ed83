// SPDX-License-Identifier: BSD-3-Clause
// What keeps a node from a view, with the names that an operator knows.
#pragma once

#include <array>
#include <cstddef>

#include "membership/impasse.h"
#include "wire/control/view_control.h"

namespace lambdacast::node {

struct StandingEvent {
  membership::Standing standing;
  // Those of its view that are missing, by rank.
  size_t missing = 0;
  std::array<wire::StreamName, wire::kMaxMembers> name;
  std::array<bool, wire::kMaxMembers> over{};  // its life is known to have ended
};

[[nodiscard]] inline StandingEvent standing_event(const membership::Standing& standing,
                                                  const membership::View& view) {
  StandingEvent event;
  event.standing = standing;
  standing.missing.for_each([&](size_t rank) {
    if (rank >= view.size()) return;
    event.name[event.missing] = view.members[rank];
    event.over[event.missing++] = standing.over.contains(rank);
  });
  return event;
}

}  // namespace lambdacast::node
