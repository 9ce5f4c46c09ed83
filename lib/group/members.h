// Who of the node view is in a group, and who of them still waits for its state. Equal at all
// endpoints after the same events of the group. A bit for each rank of the node view.
#pragma once

#include <cstdint>
#include <span>

#include "wire/control/view_control.h"

namespace lambdacast::group {

using RankMask = uint64_t;
static_assert(sizeof(RankMask) * 8 >= 64);  // NodeSet takes its place, for views of 80

[[nodiscard]] constexpr RankMask bit(size_t rank) { return RankMask{1} << rank; }
[[nodiscard]] constexpr RankMask first_ranks(size_t count) {
  return count >= 64 ? ~RankMask{0} : bit(count) - 1;
}
[[nodiscard]] constexpr size_t lowest(RankMask mask) {
  return static_cast<size_t>(__builtin_ctzll(mask));
}

inline constexpr uint8_t kGone = 0xff;

// The mask in the ranks of a new view; `now`: of each old rank, or kGone.
[[nodiscard]] inline RankMask moved(RankMask mask, std::span<const uint8_t> now) {
  RankMask out = 0;
  for (; mask != 0; mask &= mask - 1) {
    const uint8_t rank = now[lowest(mask)];
    if (rank != kGone) out |= bit(rank);
  }
  return out;
}

struct Members {
  RankMask all = 0;
  RankMask waiting = 0;   // of them: without state
  RankMask unserved = 0;  // of those: nobody sends it to them

  bool operator==(const Members&) const = default;

  [[nodiscard]] RankMask holders() const { return all & ~waiting; }

  void move(std::span<const uint8_t> now) {
    for (RankMask* mask : {&all, &waiting, &unserved}) *mask = moved(*mask, now);
  }
  void leave(RankMask ranks) {
    for (RankMask* mask : {&all, &waiting, &unserved}) *mask &= ~ranks;
  }
  void ready(RankMask ranks) {
    waiting &= ~ranks;
    unserved &= ~ranks;
  }
  // All who are left wait, and nobody will send: the state is lost.
  [[nodiscard]] bool orphaned() const { return all != 0 && unserved == all; }
  void begin_anew() { waiting = unserved = 0; }
};

}  // namespace lambdacast::group
