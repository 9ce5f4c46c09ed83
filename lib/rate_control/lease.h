// SPDX-License-Identifier: BSD-3-Clause
// The right of a member to its share: a lease that a quorum of its view renews. Whoever is no
// member any more, and cannot know it, loses its share with the lease: any quorum that excludes it
// has a member in common with any that could renew, and who has promised to exclude it renews no
// more. The others keep its share for it for that long (Allocation::departed_bps).
//
// Time is real, not lived: an endpoint that did not run must doubt itself. After a gap nothing that
// is heard counts until all that waited in its port has been taken, for that is the past. An
// endpoint that cannot keep up with its port hears the past too: a word counts only if all that had
// come to the port at some moment of the last lease has been taken.
//
// Not thread-safe: the rate_control lcore owns it. Allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/control/view_control.h"

namespace lambdacast::rate_control {

class Lease {
 public:
  // It lasts for `length_ns` behind the last renewal. `gap_ns`: without a pass() for longer, the
  // endpoint did not run.
  Lease(uint64_t length_ns, uint64_t gap_ns) : length_ns_(length_ns), gap_ns_(gap_ns) {}

  // A view begins. What a quorum of the one before has granted lasts. `tie_breaker`: its rank.
  void begin(size_t members, size_t own_rank, std::optional<size_t> tie_breaker);
  // The member of that rank has said that it is in this view and does not suspect this endpoint.
  void renew(size_t rank, uint64_t now_ns) {
    look_for_gap(now_ns);
    if (!paused_ && now_ns <= emptied_ns_ + length_ns_) renewed_ns_[rank] = now_ns;
  }
  void pass(uint64_t now_ns);
  // All that had come to the port by then has been heard. It must be told so again and again,
  // several times in the length of a lease.
  void emptied(uint64_t by_ns) {
    emptied_ns_ = by_ns;
    if (by_ns >= paused_ns_) paused_ = false;
  }
  // Out of the view.
  void end() {
    until_ns_ = 0;
    members_ = 0;
  }

  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] bool paused() const { return paused_; }
  // When valid() ends, unless it is renewed.
  [[nodiscard]] uint64_t until_ns() const { return until_ns_; }
  [[nodiscard]] uint64_t length_ns() const { return length_ns_; }

 private:
  // What is heard first behind a gap comes before pass().
  void look_for_gap(uint64_t now_ns) {
    if (last_ns_ == 0 || now_ns <= last_ns_ + gap_ns_) return;
    paused_ = true;
    paused_ns_ = now_ns;
  }
  [[nodiscard]] uint64_t renewed_by_quorum_ns() const;

  const uint64_t length_ns_;
  const uint64_t gap_ns_;
  size_t members_ = 0;
  size_t own_rank_ = 0;
  std::optional<size_t> tie_breaker_;
  std::array<uint64_t, wire::kMaxMembers> renewed_ns_{};  // by rank; 0: not in this view
  uint64_t until_ns_ = 0;
  uint64_t last_ns_ = 0;     // of pass(); 0: never
  uint64_t emptied_ns_ = 0;  // as emptied() had it
  uint64_t paused_ns_ = 0;   // when the last gap was found
  bool valid_ = false;
  bool paused_ = false;
};

}  // namespace lambdacast::rate_control
