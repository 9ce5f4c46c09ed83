#include "ordering/total_order.h"

#include <algorithm>

namespace lambdacast::ordering {

TotalOrder::TotalOrder(const TotalOrderConfig& config, OrderHost& host)
    : config_(config),
      host_(host),
      view_(config.max_peers + 1),
      acks_(wire::kMaxMembers),
      held_(config, host),
      queues_(config, view_, acks_, held_, host),
      unmarked_((config.max_peers + 1) * wire::kMaxMembers),
      markers_(wire::kMaxMembers) {
  next_.streams.reserve(wire::kMaxMembers);
  next_.begins_behind.resize(config.max_peers + 1);
}

// Where the entry waits, in a view that runs or ends.
void TotalOrder::link(uint32_t at) {
  Held& held = held_[at];
  const uint8_t rank = view_.rank_of(held.stream);
  if (rank == OrderView::kNoMember) return;
  if (held.state == State::kMarks) {
    held_.push(markers_[rank].marks, at);
    ++marks_waiting_;
  } else if (held.state == State::kUnmarked) {
    held.marker = static_cast<uint8_t>(marker_of(held.domain));
    held_.push(unmarked(held.stream, held.marker), at);
    if (held.marker == view_.own_rank()) ++unmarked_here_;
  }
}

void TotalOrder::unlink_all() {
  std::fill(unmarked_.begin(), unmarked_.end(), List{});
  for (Marker& marker : markers_) marker.marks = {};
  unmarked_here_ = marks_waiting_ = 0;
}

// --- content and marks ---------------------------------------------------------------------------

void TotalOrder::accept(size_t stream, uint64_t rel_seq, uint32_t group, wire::Qos qos,
                        uint32_t messages, PacketHandle packet) {
  Held held{};
  held.packet = packet;
  held.rel_seq = rel_seq;
  held.stream = static_cast<uint32_t>(stream);
  held.qos = qos;
  held.messages = messages;
  held.state = group == wire::kMarksGroup         ? State::kMarks
               : qos == wire::Qos::kSourceOrdered ? State::kFollows
                                                  : State::kUnmarked;
  held.domain = domain_of(group);
  const uint32_t at = held_.add(held);
  if (view_.runs()) link(at);
}

void TotalOrder::advance() {
  if (!view_.runs()) return;
  for (size_t marker = 0; marks_waiting_ != 0 && marker < view_.members(); ++marker) {
    if (!markers_[marker].marks.empty()) apply(marker);
  }
  if (held_.settled()) release_stable();
}

void TotalOrder::apply(size_t marker) {
  Marker& by = markers_[marker];
  bool applied = false;
  while (!by.marks.empty() && apply_mark(marker, by.marks.first)) {
    const uint32_t at = held_.pop(by.marks);
    held_.settle(at);
    --marks_waiting_;
    by.applied = held_[at].rel_seq;
    by.item = 0;
    ++marks_applied_;
    applied = true;
  }
  if (view_.ends() || !applied) return;
  // A sequencer has what it marks, and its mark: it need not say so.
  const Progress progress = by.awaited ? Progress::kAwaited : Progress::kApplied;
  if (marker != view_.own_rank()) progress_ = std::max(progress_, progress);
  by.awaited = false;
  acks_.acknowledge(marker, marker, by.applied);
  acks_.acknowledge(view_.own_rank(), marker, by.applied);
  queues_.drain(marker);
}

// False: content that it names has not come yet.
bool TotalOrder::apply_mark(size_t marker, uint32_t at) {
  const std::span<const uint8_t> payload = host_.payload(held_[at].packet);
  if (!wire::valid_marks(payload) || wire::load_marks_epoch(payload) < view_.epoch()) return true;
  if (wire::load_marks_epoch(payload) > view_.epoch()) return false;
  Marker& by = markers_[marker];
  for (const size_t items = wire::count_marks(payload); by.item < items; ++by.item) {
    const wire::Mark item = wire::load_mark(payload, by.item);
    if (item.rank >= view_.members()) continue;
    const size_t stream = view_.stream_of(item.rank);
    if (!view_.ends() && host_.taken_through(stream) < item.through) return false;
    List& list = unmarked(stream, marker);
    while (!list.empty() && held_[list.first].rel_seq <= item.through) {
      if (marker == view_.own_rank()) --unmarked_here_;
      const uint32_t content = held_.pop(list);
      // If nobody else's, then the sequencer's own delivery waits.
      if (held_[content].qos > wire::Qos::kTotallyOrdered) by.awaited = true;
      queues_.mark(content, held_[at].rel_seq);
    }
  }
  return true;
}

size_t TotalOrder::write_marks(uint8_t* payload, size_t room) {
  wire::store_marks_epoch(view_.epoch(), payload);
  const size_t most = (room - wire::kMarksHeaderBytes) / wire::kMarkBytes;
  size_t items = 0;
  for (size_t rank = 0; rank < view_.members() && items < most; ++rank) {
    const List& list = unmarked(view_.stream_of(rank), view_.own_rank());
    if (list.empty()) continue;
    wire::store_mark({static_cast<uint16_t>(rank), held_[list.last].rel_seq}, payload, items++);
  }
  ++marks_sent_;
  return wire::kMarksHeaderBytes + items * wire::kMarkBytes;
}

// --- delivery ------------------------------------------------------------------------------------

uint64_t TotalOrder::ack_lag(size_t member) const {
  if (member >= acks_.members()) return 0;
  uint64_t most = 0;
  for (size_t marker = 0; marker < acks_.members(); ++marker) {
    const uint64_t here = applied(marker);
    const uint64_t there = acks_.of(member, marker);
    if (here > there) most = std::max(most, here - there);
  }
  return most;
}

void TotalOrder::poll() {
  if (!queues_.refused() || view_.stands()) return;
  queues_.retry();
  if (view_.ends()) return try_begin();
  release_stable();
}

// --- what nobody needs any more ------------------------------------------------------------------

bool TotalOrder::stable(const Held& held) const {
  if (held.state == State::kDelivered)
    return held.stream == config_.max_peers || held.mark <= acks_.stable(held.marker);
  if (held.state != State::kApplied) return false;
  return held.stream == config_.max_peers ||
         held.rel_seq <= acks_.stable(view_.rank_of(held.stream));
}

void TotalOrder::release_stable() {
  held_.look();
  for (const size_t stream : view_.streams())
    held_.drop_while(stream, [this](const Held& held) { return stable(held); });
}

void TotalOrder::abandon() {
  queues_.give_up();
  view_.give_up();
  clear();
}

void TotalOrder::clear() {
  unlink_all();
  for (size_t stream = 0; stream < held_.streams(); ++stream) held_.drop_all(stream);
  queues_.clear();
  for (Marker& marker : markers_) {
    marker.item = 0;
    marker.applied = 0;
    marker.awaited = false;
  }
}

}  // namespace lambdacast::ordering
