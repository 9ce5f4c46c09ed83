// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/engines.h"

#include "wire/control/reserved_groups.h"

namespace lambdacast::ordering {

void Engines::link(uint32_t at) {
  Held& held = held_[at];
  const uint8_t rank = view_.rank_of(held.stream);
  if (rank == OrderView::kNoMember) return;
  if (held.state == Held::State::kUnmarked) return sheet_.link(at);
  if (held.state != Held::State::kMarks) return;
  if (held.marker == kRing) {
    if (ring_) return ring_->link(at);
    held.mark = 0;  // of a node that is configured differently: nobody needs it
    return held_.settle(at);
  }
  held.marker = rank;
  held.mark = held.rel_seq;
  sequencers_.link(at);
}

Engines::Written Engines::write(uint8_t* payload, size_t most, uint64_t now_ns, uint32_t room) {
  if (ring_ && ring_->due_ns() < marks_due_ns(room))
    return {wire::kPassGroup, ring_->write(payload, most, now_ns)};
  return {wire::kMarksGroup, sequencers_.write(payload, most, now_ns)};
}

}  // namespace lambdacast::ordering
