// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/view_end.h"

#include <algorithm>

namespace lambdacast::ordering {

using State = Held::State;

ViewEnd::ViewEnd(const TotalOrderConfig& config, OrderView& view, Acknowledgements& acks,
                 HeldPackets& held, DomainQueues& queues, Engines& engines, OrderHost& host)
    : k_(config.k),
      view_(view),
      acks_(acks),
      held_(held),
      queues_(queues),
      engines_(engines),
      host_(host),
      begins_behind_(config.max_peers + 1) {
  streams_.reserve(wire::kMaxMembers);
}

bool ViewEnd::install(uint64_t epoch, std::span<const Cut> cuts, std::span<const size_t> streams,
                      size_t own_rank, size_t stayed) {
  // MaxN of a newcomer is more than it knows.
  const size_t max_n = view_.epoch() == 0 && stayed != 0 ? 2 * streams.size() : acks_.max_n();
  epoch_ = epoch;
  own_rank_ = own_rank;
  stayed_ = stayed;
  streams_.assign(streams.begin(), streams.end());
  std::fill(begins_behind_.begin(), begins_behind_.end(), 0);
  for (const Cut& cut : cuts) begins_behind_[cut.stream] = cut.position;
  view_.end();
  if (view_.epoch() != 0) end_view(cuts);
  host_.view_ended();
  // From now on only the new view's acknowledgements come.
  acks_.begin(streams.size(), k_, max_n);
  acks_.begun(own_rank);
  return try_begin();
}

void ViewEnd::end_view(std::span<const Cut> cuts) {
  engines_.unlink_all();
  for (const Cut& cut : cuts) {
    if (!view_.has(cut.stream)) continue;  // it joins
    for (uint32_t at = held_.first(cut.stream); at != HeldPackets::kNone;
         at = held_[at].next_in_stream) {
      if (held_[at].rel_seq <= cut.position) engines_.link(at);
    }
  }
  engines_.apply(0);
  for (const Cut& cut : cuts) {
    if (view_.has(cut.stream)) mark_the_rest(cut);
  }
  queues_.drain_all();
}

// What nobody marked comes last, in its sender's order. What a departed one sent behind its cut is
// nobody's, and what is source ordered behind that waits for the view without it.
void ViewEnd::mark_the_rest(const Cut& cut) {
  for (uint32_t at = held_.first(cut.stream); at != HeldPackets::kNone;
       at = held_[at].next_in_stream) {
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

bool ViewEnd::try_begin() {
  if (!queues_.idle()) return false;
  const bool newcomer = view_.epoch() == 0;
  view_.begin(epoch_, streams_, own_rank_, stayed_);
  queues_.begin_view();
  engines_.begin_view();
  host_.view_begins();
  for (size_t stream = 0; stream < held_.streams(); ++stream) {
    // A newcomer begins behind the cuts.
    held_.drop_while(stream, [&](const Held& held) {
      return newcomer && held.rel_seq <= begins_behind_[stream];
    });
    carry_over(stream);
  }
  return true;
}

// All members hold what was delivered; what was not is content of the new view.
void ViewEnd::carry_over(size_t stream) {
  const bool member = view_.has(stream);
  held_.sift(stream, [&](uint32_t at) {
    const Held& held = held_[at];
    // It waits for what has no place in this view.
    if (held.state == State::kFollows && !member) queues_.deliver(at, true);
    if (held.state == State::kDelivered || held.state == State::kApplied || !member) return false;
    engines_.link(at);
    return true;
  });
}

}  // namespace lambdacast::ordering
