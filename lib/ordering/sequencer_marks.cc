// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/sequencer_marks.h"

#include <algorithm>
#include <span>

#include "wire/control/view_control.h"

namespace lambdacast::ordering {

using State = Held::State;

SequencerMarks::SequencerMarks(const TotalOrderConfig& config, const OrderView& view,
                               Acknowledgements& acks, HeldPackets& held, DomainQueues& queues,
                               OrderHost& host)
    : view_(view),
      acks_(acks),
      held_(held),
      queues_(queues),
      host_(host),
      rate_domain_(config.domains),
      unmarked_((config.max_peers + 1) * wire::kMaxMembers),
      markers_(wire::kMaxMembers) {}

void SequencerMarks::link(uint32_t at) {
  Held& held = held_[at];
  const uint8_t rank = view_.rank_of(held.stream);
  if (rank == OrderView::kNoMember) return;
  if (held.state == State::kMarks) {
    held_.push(markers_[rank].marks, at);
    ++marks_waiting_;
  } else if (held.state == State::kUnmarked) {
    held.marker = static_cast<uint8_t>(view_.marker_of(held.domain));
    held_.push(unmarked(held.stream, held.marker), at);
    if (held.marker != view_.own_rank()) return;
    ++unmarked_here_;
    if (held.domain == rate_domain_) ++rates_unmarked_here_;
  }
}

void SequencerMarks::unlink_all() {
  std::fill(unmarked_.begin(), unmarked_.end(), HeldPackets::List{});
  for (Marker& marker : markers_) marker.marks = {};
  unmarked_here_ = rates_unmarked_here_ = marks_waiting_ = 0;
}

void SequencerMarks::apply() {
  for (size_t marker = 0; marks_waiting_ != 0 && marker < view_.members(); ++marker) {
    if (!markers_[marker].marks.empty()) apply_of(marker);
  }
}

void SequencerMarks::apply_of(size_t marker) {
  Marker& by = markers_[marker];
  bool applied = false;
  while (!by.marks.empty() && apply_packet(marker, by.marks.first)) {
    const uint32_t at = held_.pop(by.marks);
    held_.settle(at);
    --marks_waiting_;
    by.applied = held_[at].rel_seq;
    by.item = 0;
    ++packets_applied_;
    applied = true;
  }
  if (view_.ends() || !applied) return;
  // A sequencer has what it marks, and its mark: it need not say so.
  const size_t own_rank = view_.own_rank();
  const Progress progress = by.awaited ? Progress::kAwaited : Progress::kApplied;
  if (marker != own_rank) progress_ = std::max(progress_, progress);
  by.awaited = false;
  acks_.acknowledge(marker, marker, by.applied);
  acks_.acknowledge(own_rank, marker, by.applied);
  queues_.drain(marker);
}

// False: content that it names has not come yet.
bool SequencerMarks::apply_packet(size_t marker, uint32_t at) {
  const std::span<const uint8_t> payload = host_.payload(held_[at].packet);
  if (!wire::valid_marks(payload) || wire::load_marks_epoch(payload) < view_.epoch()) return true;
  if (wire::load_marks_epoch(payload) > view_.epoch()) return false;
  Marker& by = markers_[marker];
  for (const size_t items = wire::count_marks(payload); by.item < items; ++by.item) {
    const wire::Mark item = wire::load_mark(payload, by.item);
    if (item.rank >= view_.members()) continue;
    const size_t stream = view_.streams()[item.rank];
    if (!view_.ends() && host_.taken_through(stream) < item.through) return false;
    HeldPackets::List& list = unmarked(stream, marker);
    while (!list.empty() && held_[list.first].rel_seq <= item.through) {
      if (marker == view_.own_rank()) --unmarked_here_;
      const uint32_t content = held_.pop(list);
      // If nobody else's, then the sequencer's own delivery waits.
      if (held_[content].qos > wire::Qos::kTotallyOrdered) by.awaited = true;
      if (held_[content].domain == rate_domain_) {
        by.rates = true;
        if (marker == view_.own_rank()) --rates_unmarked_here_;
      }
      queues_.mark(content, held_[at].rel_seq);
    }
  }
  if (std::exchange(by.rates, false)) [[unlikely]]
    host_.rates_marked(held_[at].rel_seq);
  return true;
}

size_t SequencerMarks::write(uint8_t* payload, size_t room) {
  wire::store_marks_epoch(view_.epoch(), payload);
  const size_t most = (room - wire::kMarksHeaderBytes) / wire::kMarkBytes;
  size_t items = 0;
  for (size_t rank = 0; rank < view_.members() && items < most; ++rank) {
    const HeldPackets::List& list = unmarked(view_.streams()[rank], view_.own_rank());
    if (list.empty()) continue;
    wire::store_mark({static_cast<uint16_t>(rank), held_[list.last].rel_seq}, payload, items++);
  }
  ++written_;
  return wire::kMarksHeaderBytes + items * wire::kMarkBytes;
}

void SequencerMarks::begin_view() {
  clear();
  progress_ = Progress::kAwaited;
}

void SequencerMarks::clear() {
  unlink_all();
  std::fill(markers_.begin(), markers_.end(), Marker{});
}

}  // namespace lambdacast::ordering
