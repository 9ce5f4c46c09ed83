#include "ordering/total_order.h"

#include <algorithm>

namespace lambdacast::ordering {

TotalOrder::TotalOrder(const TotalOrderConfig& config, OrderHost& host)
    : config_(config),
      host_(host),
      held_(config, host),
      unmarked_((config.max_peers + 1) * wire::kMaxMembers),
      domains_(config.domains),
      blocked_(config.domains),
      markers_(wire::kMaxMembers),
      stream_rank_(config.max_peers + 1, kNoMember),
      acks_(wire::kMaxMembers) {
  rank_stream_.reserve(wire::kMaxMembers);
  next_.streams.reserve(wire::kMaxMembers);
  next_.begins_behind.resize(config.max_peers + 1);
  for (Marker& marker : markers_) marker.waiting.reserve(config.domains);
}

// Where the entry waits, in a view that runs or ends.
void TotalOrder::link(uint32_t at) {
  Held& held = held_[at];
  const uint8_t rank = stream_rank_[held.stream];
  if (rank == kNoMember) return;
  if (held.state == State::kMarks) {
    held_.push(markers_[rank].marks, at);
    ++marks_waiting_;
  } else if (held.state == State::kUnmarked) {
    held.marker = static_cast<uint8_t>(marker_of(held.domain));
    held_.push(unmarked(held.stream, held.marker), at);
    if (held.marker == own_rank_) ++unmarked_here_;
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
  if (running()) link(at);
}

void TotalOrder::advance() {
  if (!running()) return;
  for (size_t marker = 0; marks_waiting_ != 0 && marker < members_; ++marker) {
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
    ++counters_.marks_applied;
    applied = true;
  }
  if (finishing_ || !applied) return;
  // A sequencer has what it marks, and its mark: it need not say so.
  const Progress progress = by.awaited ? Progress::kAwaited : Progress::kApplied;
  if (marker != own_rank_) progress_ = std::max(progress_, progress);
  by.awaited = false;
  acks_.acknowledge(marker, marker, by.applied);
  acks_.acknowledge(own_rank_, marker, by.applied);
  drain(marker);
}

// False: content that it names has not come yet.
bool TotalOrder::apply_mark(size_t marker, uint32_t at) {
  const std::span<const uint8_t> payload = host_.payload(held_[at].packet);
  if (!wire::valid_marks(payload) || wire::load_marks_epoch(payload) < epoch_) return true;
  if (wire::load_marks_epoch(payload) > epoch_) return false;
  Marker& by = markers_[marker];
  for (const size_t items = wire::count_marks(payload); by.item < items; ++by.item) {
    const wire::Mark item = wire::load_mark(payload, by.item);
    if (item.rank >= members_) continue;
    const size_t stream = rank_stream_[item.rank];
    if (!finishing_ && host_.taken_through(stream) < item.through) return false;
    List& list = unmarked(stream, marker);
    while (!list.empty() && held_[list.first].rel_seq <= item.through) {
      if (marker == own_rank_) --unmarked_here_;
      mark(held_.pop(list), held_[at].rel_seq);
    }
  }
  return true;
}

void TotalOrder::mark(uint32_t at, uint64_t position) {
  Held& held = held_[at];
  Domain& domain = domains_[held.domain];
  held.state = State::kMarked;
  held.mark = position;
  // If nobody else's, then the sequencer's own delivery waits.
  if (held.qos > wire::Qos::kTotallyOrdered) markers_[held.marker].awaited = true;
  held.index = domain.next_index;
  domain.next_index += held.messages;
  const bool first = domain.queue.empty() && !finishing_ && !refused_;
  if (first && position <= acks_.reached(held.marker, held.qos) && deliver(at))
    return deliver_behind(at);
  held_.push(domain.queue, at);
  if (domain.waiting) return;
  domain.waiting = true;
  markers_[held.marker].waiting.push_back(held.domain);
}

size_t TotalOrder::write_marks(uint8_t* payload, size_t room) {
  wire::store_marks_epoch(epoch_, payload);
  const size_t most = (room - wire::kMarksHeaderBytes) / wire::kMarkBytes;
  size_t items = 0;
  for (size_t rank = 0; rank < members_ && items < most; ++rank) {
    const List& list = unmarked(rank_stream_[rank], own_rank_);
    if (list.empty()) continue;
    wire::store_mark({static_cast<uint16_t>(rank), held_[list.last].rel_seq}, payload, items++);
  }
  ++counters_.marks_sent;
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

void TotalOrder::drain(size_t marker) {
  std::vector<uint32_t>& waiting = markers_[marker].waiting;
  for (size_t i = 0; i < waiting.size() && !refused_;) {
    if (!drain_domain(waiting[i])) {
      ++i;
      continue;
    }
    domains_[waiting[i]].waiting = false;
    waiting[i] = waiting.back();
    waiting.pop_back();
  }
}

// True: nothing of the domain waits any more.
bool TotalOrder::drain_domain(uint32_t number) {
  Domain& domain = domains_[number];
  while (!domain.queue.empty()) {
    const Held& held = held_[domain.queue.first];
    if (!finishing_ && held.mark > acks_.reached(held.marker, held.qos)) return false;
    if (!deliver(domain.queue.first)) return false;
    deliver_behind(held_.pop(domain.queue));
    if (refused_) return false;
  }
  return true;
}

bool TotalOrder::deliver(uint32_t at, bool last_call) {
  Held& held = held_[at];
  const bool ordered = held.state == State::kMarked;
  if (!host_.deliver(held.packet, {held.stream, held.rel_seq, ordered ? epoch_ : 0, held.index,
                                   held.domain, held.qos, held.marker, held.mark, last_call})) {
    refused_ = true;
    return false;
  }
  if (!ordered) held.mark = 0;  // nobody else needs it
  held_.settle(at);
  ++counters_.delivered;
  if (finishing_) ++counters_.recovered;
  return true;
}

// Source ordered packets that waited for the one delivered.
void TotalOrder::deliver_behind(uint32_t at) {
  const Held& delivered = held_[at];
  if (held_.following(delivered.stream) == 0) return;
  while ((at = held_[at].next_in_stream) != kNone) {
    if (held_[at].domain != delivered.domain) continue;
    if (held_[at].blocks()) return;
    if (held_[at].state == State::kFollows && !deliver(at)) return;
  }
}

// Those of the whole stream that wait for nothing.
void TotalOrder::deliver_followers(size_t stream) {
  if (held_.following(stream) == 0) return;
  ++pass_;
  for (uint32_t at = held_.first(stream); at != kNone; at = held_[at].next_in_stream) {
    const Held& held = held_[at];
    if (held.blocks()) blocked_[held.domain] = pass_;
    if (held.state == State::kFollows && blocked_[held.domain] != pass_ && !deliver(at)) return;
  }
}

void TotalOrder::poll() {
  if (!refused_ || (frozen_ && !finishing_)) return;
  refused_ = false;
  for (size_t stream = 0; stream < held_.streams() && !refused_; ++stream)
    deliver_followers(stream);
  for (size_t marker = 0; marker < members_ && !refused_; ++marker) drain(marker);
  if (finishing_) return try_begin();
  release_stable();
}

// --- what nobody needs any more ------------------------------------------------------------------

bool TotalOrder::stable(const Held& held) const {
  if (held.state == State::kDelivered)
    return held.stream == config_.max_peers || held.mark <= acks_.stable(held.marker);
  if (held.state != State::kApplied) return false;
  return held.stream == config_.max_peers ||
         held.rel_seq <= acks_.stable(stream_rank_[held.stream]);
}

void TotalOrder::release_stable() {
  held_.look();
  for (const size_t stream : rank_stream_)
    held_.drop_while(stream, [this](const Held& held) { return stable(held); });
}

void TotalOrder::abandon() {
  for (size_t stream = 0; stream < held_.streams(); ++stream) {
    for (uint32_t at = held_.first(stream); at != kNone; at = held_[at].next_in_stream) {
      if (held_[at].state == State::kFollows) (void)deliver(at, true);
    }
  }
  finishing_ = refused_ = false;
  clear();
}

void TotalOrder::clear() {
  unlink_all();
  for (size_t stream = 0; stream < held_.streams(); ++stream) held_.drop_all(stream);
  for (Domain& domain : domains_) domain = {};
  for (Marker& marker : markers_) {
    marker.waiting.clear();
    marker.item = 0;
    marker.applied = 0;
    marker.awaited = false;
  }
}

}  // namespace lambdacast::ordering
