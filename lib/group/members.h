// SPDX-License-Identifier: BSD-3-Clause
// The members of a group, and which of them still wait for its state: sets of ranks of the node
// view. Equal at all endpoints after the same events of the group.
#pragma once

#include <cstdint>
#include <span>

#include "base/node_set.h"
#include "wire/control/view_control.h"

namespace lambdacast::group {

using base::NodeSet;
static_assert(wire::kMaxMembers <= NodeSet::kCapacity);

inline constexpr uint8_t kGone = 0xff;
static_assert(NodeSet::kCapacity <= kGone);

// The set in the ranks of a new view. now[rank]: that rank's number in it, or kGone.
[[nodiscard]] inline NodeSet moved(NodeSet set, std::span<const uint8_t> now) {
  NodeSet out;
  set.for_each([&](size_t rank) {
    if (now[rank] != kGone) out.add(now[rank]);
  });
  return out;
}

struct Members {
  NodeSet all;
  NodeSet waiting;   // members that have no state yet
  NodeSet unserved;  // waiting members to which nobody sends the state

  bool operator==(const Members&) const = default;

  [[nodiscard]] NodeSet holders() const { return all - waiting; }

  void move(std::span<const uint8_t> now) {
    for (NodeSet* set : {&all, &waiting, &unserved}) *set = moved(*set, now);
  }
  void leave(NodeSet ranks) {
    for (NodeSet* set : {&all, &waiting, &unserved}) *set -= ranks;
  }
  void ready(NodeSet ranks) {
    waiting -= ranks;
    unserved -= ranks;
  }
  // All remaining members wait, and nobody will send: the state is lost.
  [[nodiscard]] bool orphaned() const { return !all.empty() && unserved == all; }
  void begin_anew() {
    waiting.clear();
    unserved.clear();
  }
};

}  // namespace lambdacast::group
