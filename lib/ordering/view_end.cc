// The end of a view and the beginning of the next one, in total order (protocol-decisions,
// "Membership"; FastCast 2013, Figure 3, which delivers what nobody marked by hash and skips what
// is missing: not here).
#include <algorithm>

#include "ordering/total_order.h"

namespace lambdacast::ordering {

void TotalOrder::install(uint64_t epoch, std::span<const Cut> cuts, std::span<const size_t> streams,
                         size_t own_rank) {
  next_.epoch = epoch;
  next_.own_rank = own_rank;
  next_.streams.assign(streams.begin(), streams.end());
  std::fill(next_.begins_behind.begin(), next_.begins_behind.end(), 0);
  for (const Cut& cut : cuts) next_.begins_behind[cut.stream] = cut.position;
  view_.end();
  if (view_.epoch() != 0) end_view(cuts);
  // From now on only the new view's acknowledgements come.
  acks_.begin(streams.size(), config_.k);
  try_begin();
}

void TotalOrder::end_view(std::span<const Cut> cuts) {
  marks_.unlink_all();
  for (const Cut& cut : cuts) {
    if (!view_.has(cut.stream)) continue;  // it joins
    for (uint32_t at = held_.first(cut.stream); at != kNone; at = held_[at].next_in_stream) {
      if (held_[at].rel_seq <= cut.position) marks_.link(at);
    }
  }
  marks_.apply();
  for (const Cut& cut : cuts) {
    if (view_.has(cut.stream)) mark_the_rest(cut);
  }
  queues_.drain_all();
}

// What nobody marked comes last, in its sender's order. What a departed one sent behind its cut is
// nobody's, and what is source ordered behind that waits for the view without it.
void TotalOrder::mark_the_rest(const Cut& cut) {
  for (uint32_t at = held_.first(cut.stream); at != kNone; at = held_[at].next_in_stream) {
    Held& held = held_[at];
    if (held.state != State::kUnmarked) continue;
    if (held.rel_seq <= cut.position) {
      queues_.mark(at, 0);
    } else if (!cut.stays) {
      held.state = State::kVoid;
      ++discarded_;
    }
  }
}

void TotalOrder::try_begin() {
  if (!queues_.idle()) return;
  const bool newcomer = view_.epoch() == 0;
  view_.begin(next_.epoch, next_.streams, next_.own_rank);
  queues_.begin_view();
  marks_.begin_view();
  host_.view_begins();
  for (size_t stream = 0; stream < held_.streams(); ++stream) {
    // A newcomer begins behind the cuts.
    held_.drop_while(stream, [&](const Held& held) {
      return newcomer && held.rel_seq <= next_.begins_behind[stream];
    });
    carry_over(stream);
  }
  advance();
}

// All members hold what was delivered; what was not is content of the new view.
void TotalOrder::carry_over(size_t stream) {
  const bool member = view_.has(stream);
  held_.sift(stream, [&](uint32_t at) {
    const Held& held = held_[at];
    // It waits for what has no place in this view.
    if (held.state == State::kFollows && !member) queues_.deliver_last(at);
    if (held.state == State::kDelivered || held.state == State::kApplied || !member) return false;
    marks_.link(at);
    return true;
  });
}

}  // namespace lambdacast::ordering
