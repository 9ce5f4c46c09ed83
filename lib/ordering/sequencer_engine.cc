// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/sequencer_engine.h"

#include <algorithm>
#include <span>

#include "wire/control/view_control.h"

namespace lambdacast::ordering {

SequencerEngine::SequencerEngine(const TotalOrderConfig& config, const OrderView& view,
                                 HeldPackets& held, MarkSheet& sheet, OrderHost& host)
    : interval_ns_(config.marks_every_ns),
      view_(view),
      held_(held),
      sheet_(sheet),
      host_(host),
      markers_(wire::kMaxMembers) {}

void SequencerEngine::link(uint32_t at) {
  held_.push(markers_[held_[at].marker].marks, at);
  ++waiting_;
}

void SequencerEngine::unlink_all() {
  for (Marker& marker : markers_) {
    marker.marks = {};
    marker.item = 0;
  }
  waiting_ = 0;
}

void SequencerEngine::apply(uint64_t) {
  for (size_t marker = 0; waiting_ != 0 && marker < view_.members(); ++marker) {
    if (!markers_[marker].marks.empty()) apply_of(marker);
  }
}

void SequencerEngine::apply_of(size_t marker) {
  Marker& by = markers_[marker];
  uint64_t applied = 0;
  while (!by.marks.empty() && apply_packet(marker, by.marks.first)) {
    const uint32_t at = held_.pop(by.marks);
    held_.settle(at);
    --waiting_;
    applied = held_[at].rel_seq;
    by.item = 0;
    ++packets_applied_;
  }
  if (applied == 0) return;
  // A sequencer has what it marks, and its mark: it need not say so.
  const Progress progress = by.awaited ? Progress::kAwaited : Progress::kApplied;
  if (!view_.ends()) {
    if (marker != view_.own_rank()) progress_ = std::max(progress_, progress);
    by.awaited = false;
  }
  sheet_.apply(marker, marker, applied);
}

// False: content that it names has not come yet.
bool SequencerEngine::apply_packet(size_t marker, uint32_t at) {
  const std::span<const uint8_t> payload = host_.payload(held_[at].packet);
  if (!wire::valid_marks(payload) || wire::load_marks_epoch(payload) < view_.epoch()) return true;
  if (wire::load_marks_epoch(payload) > view_.epoch()) return false;
  Marker& by = markers_[marker];
  for (const size_t items = wire::count_marks(payload); by.item < items; ++by.item) {
    const wire::Mark item = wire::load_mark(payload, by.item);
    if (item.rank >= view_.members()) continue;
    if (!sheet_.holds(item.rank, item.through)) return false;
    const MarkSheet::Marked marked =
        sheet_.mark_through(marker, item.rank, item.through, held_[at].rel_seq);
    // If nobody else's, then the sequencer's own delivery waits.
    by.awaited |= marked.levels != 0;
    by.rates |= marked.rates;
  }
  if (std::exchange(by.rates, false)) [[unlikely]]
    host_.rates_marked(held_[at].rel_seq);
  return true;
}

size_t SequencerEngine::write(uint8_t* payload, size_t room, uint64_t now_ns) {
  next_ns_ = now_ns + interval_ns_;
  wire::store_marks_epoch(view_.epoch(), payload);
  const size_t most = (room - wire::kMarksHeaderBytes) / wire::kMarkBytes;
  size_t items = 0;
  for (size_t rank = 0; rank < view_.members() && items < most; ++rank) {
    const uint64_t through = sheet_.unmarked(view_.own_rank(), rank);
    if (through == 0) continue;
    wire::store_mark({static_cast<uint16_t>(rank), through}, payload, items++);
  }
  ++written_;
  return wire::kMarksHeaderBytes + items * wire::kMarkBytes;
}

void SequencerEngine::begin_view() {
  std::fill(markers_.begin(), markers_.end(), Marker{});
  waiting_ = 0;
  progress_ = Progress::kAwaited;
}

}  // namespace lambdacast::ordering
