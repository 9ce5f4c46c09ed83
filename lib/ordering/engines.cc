// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/engines.h"

namespace lambdacast::ordering {

void Engines::link(uint32_t at) {
  Held& held = held_[at];
  const uint8_t rank = view_.rank_of(held.stream);
  if (rank == OrderView::kNoMember) return;
  if (held.state == Held::State::kUnmarked) return sheet_.link(at);
  if (held.state != Held::State::kMarks) return;
  held.marker = rank;
  held.mark = held.rel_seq;
  sequencers_.link(at);
}

}  // namespace lambdacast::ordering
