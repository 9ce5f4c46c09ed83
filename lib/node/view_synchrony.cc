// SPDX-License-Identifier: BSD-3-Clause
#include "node/view_synchrony.h"

#include <algorithm>

namespace lambdacast::node {

using wire::MemberState;
using wire::Qos;

namespace {

constexpr size_t kMostSkips = 64;

// How many indices a packet takes in its domain: a message in fragments takes one, with its last.
uint32_t messages_of(const PacketInfo& info) {
  if (wire::is_messages(info.kind)) return info.messages;
  if (!wire::is_fragment(info.kind)) return 1;
  return info.fragment_offset + info.payload_bytes == info.message_bytes ? 1 : 0;
}

// Marks are acknowledgements of their maker's too, and go at their pace.
ordering::TotalOrderConfig paced(const ViewConfig& config) {
  ordering::TotalOrderConfig order = config.order;
  order.marks_every_ns = config.membership.ack_ns;
  return order;
}

}  // namespace

ViewSynchrony::ViewSynchrony(const ViewConfig& config, const Parts& parts, ViewHost& host)
    : receiver_(parts.receiver),
      sender_(parts.sender),
      rates_(parts.rates),
      host_(host),
      self_(config.order.max_peers),
      membership_(config.membership, *this),
      order_(paced(config), *this),
      marks_(order_, self_),
      ack_interval_ns_(config.membership.ack_ns),
      tie_breaker_(config.membership.tie_breaker),
      taken_(config.order.max_peers),
      missed_(config.order.max_peers),
      stale_(config.order.max_peers),
      begins_(config.order.max_peers),
      serves_(config.order.max_peers) {
  cuts_.reserve(2 * wire::kMaxMembers);
  streams_.reserve(wire::kMaxMembers);
  rate_members_.reserve(wire::kMaxMembers);
  skips_.reserve(kMostSkips);
}

void ViewSynchrony::accept_control(size_t peer, const wire::StreamName& name,
                                   const uint8_t* payload, const wire::ControlHeader& header,
                                   uint64_t now_ns) {
  // As long as no ballot is under way no stream's limit depends on what members say of themselves
  // and of what they hear; what one says of its own stream may be the end of it.
  if (membership_.state() != MemberState::kOperational) {
    changed_ = true;
  } else if (header.kind == wire::ControlKind::kHeartbeat) {
    stale_.mark(peer);
  } else if (header.kind != wire::ControlKind::kMember &&
             header.kind != wire::ControlKind::kStatus && header.kind != wire::ControlKind::kNack) {
    changed_ = true;
  }
  now_ns_ = now_ns;
  membership_.heard(peer, name, now_ns);
  switch (header.kind) {
    case wire::ControlKind::kMember:
    case wire::ControlKind::kBallot:
    case wire::ControlKind::kVote:
      return membership_.accept(peer, payload, header, now_ns);
    case wire::ControlKind::kNack:
      return answer(payload, header);
    case wire::ControlKind::kSkip: {
      const wire::SkipFrame skip = wire::load_skip(payload);
      const size_t about = membership_.peer_named(skip.stream);
      if (about < self_ && membership_.is_member(about) && membership_.departs(about))
        receiver_.skip(about, skip.first, skip.count);
      return;
    }
    default:
      return;
  }
}

// A NACK about a stream that this endpoint relays. What it does not have of it was not ordered, or
// everybody has it.
void ViewSynchrony::answer(const uint8_t* payload, const wire::ControlHeader& header) {
  const wire::StreamName about = wire::load_nack_stream(payload);
  const size_t peer = membership_.peer_named(about);
  if (peer >= self_ || serves_[peer] == 0) return;
  wire::for_each_nack_run(payload, header, [&](uint64_t first, uint64_t count) {
    const uint64_t end = std::min(first + count, serves_[peer] + 1);
    uint64_t at = first;
    const auto skip_to = [&](uint64_t next) {
      if (next > at && skips_.size() < kMostSkips) skips_.push_back({about, at, next - at});
    };
    if (first >= end) return;
    order_.find(peer, first, end - 1, [&](uint64_t rel_seq, PacketHandle packet) {
      skip_to(rel_seq);
      at = rel_seq + 1;
      host_.relay(packet);
      ++relayed_;
    });
    skip_to(end);
  });
}

// --- packets -------------------------------------------------------------------------------------

// Is ordered content of that incarnation of the peer of use? In a view that goes on: of its
// members. While the next one is being made, newcomers may be ahead of us.
bool ViewSynchrony::wants(size_t peer, uint64_t incarnation) const {
  switch (membership_.state()) {
    case MemberState::kOperational:
      return membership_.is_member(peer);
    case MemberState::kRecovering:
      return !membership_.has_expelled(peer, incarnation);
    case MemberState::kJoining:
      return joins_;
    default:
      return false;
  }
}

ViewSynchrony::Step ViewSynchrony::take(PacketHandle packet) {
  const PacketInfo& info = host_.info(packet);
  stale_.mark(info.peer);
  const bool marks = Marks::is(info);
  if (info.qos <= Qos::kReliable) return marks ? Step::kDrop : Step::kPass;
  if (taken_[info.peer].incarnation != info.incarnation && !membership_.is_member(info.peer))
    order_.forget(info.peer);  // of an earlier incarnation
  taken_[info.peer] = {info.rel_seq, info.incarnation};
  if (info.qos == Qos::kSourceOrdered && !marks) {
    // Who joins does not know yet what there is to wait for.
    const bool joining = membership_.state() == MemberState::kJoining;
    if (joining || order_.passes(info.peer, info.group) || !wants(info.peer, info.incarnation))
      return Step::kPass;
  } else if (!wants(info.peer, info.incarnation)) {
    return Step::kDrop;
  }
  if (order_.room(info.peer) == 0) {
    // Beyond what it was told that there is room for. Without this packet the order is not ours,
    // but its sender's is.
    membership_.abandon();
    return info.qos == Qos::kSourceOrdered && !marks ? Step::kPass : Step::kDrop;
  }
  accept(info.peer, info.rel_seq, packet);
  return Step::kKeep;
}

void ViewSynchrony::accept(size_t stream, uint64_t rel_seq, PacketHandle packet) {
  const PacketInfo& info = host_.info(packet);
  if (Marks::is(info)) return order_.accept_marks(stream, rel_seq, info.group, packet);
  order_.accept(stream, rel_seq, info.group, info.qos, messages_of(info), packet);
}

void ViewSynchrony::sent(uint64_t rel_seq, PacketHandle copy) { accept(self_, rel_seq, copy); }

void ViewSynchrony::poll(uint64_t now_ns, bool listening) {
  now_ns_ = now_ns;
  leave_if_lacking();
  order_.tell_time(now_ns);
  sender_.proposals([&](size_t peer) { membership_.accuse(peer); });
  order_.advance();
  order_.poll();
  if (rates_ != nullptr && rates_->unsettled())
    rates_->stable(order_.stable_marks(order_.rate_marker()));
  acknowledge(order_.take_progress());
  membership_.tick(now_ns, listening);
  leave_if_lacking();
  limit_streams();
}

// Before anything of the view is delivered.
void ViewSynchrony::leave_if_lacking() {
  if (std::exchange(lacks_, false)) [[unlikely]]
    membership_.abandon();
}

// What nobody waits for is acknowledged an interval later, or along with what somebody does.
void ViewSynchrony::acknowledge(ordering::Progress progress) {
  using ordering::Progress;
  if (progress == Progress::kNone) return;
  membership_.hurry(progress == Progress::kAwaited ? 0 : now_ns_ + ack_interval_ns_);
}

// How far each stream may come: what it has handed on, and the room here for more. With packets on
// their way here it is told again.
void ViewSynchrony::limit_streams() {
  if (changed_) {
    limit_all();
  } else {
    for (const uint16_t peer : stale_.list) {
      if (membership_.is_member(peer)) limit_stream(peer);
    }
  }
  if (!host_.drained()) return;
  stale_.clear();
  changed_ = false;
}

void ViewSynchrony::limit_all() {
  for (size_t rank = 0; rank < membership_.view().size(); ++rank) {
    const size_t peer = membership_.peer_of(rank);
    if (peer < self_ && membership_.is_member(peer)) limit_stream(peer);
  }
  // The members of what a joiner has accepted may send for their view already.
  if (membership_.state() != MemberState::kJoining || !membership_.has_accepted()) return;
  for (size_t peer = 0; peer < self_; ++peer) limit_stream(peer);
}

void ViewSynchrony::limit_stream(size_t peer) {
  const uint64_t held = held_through(peer);
  if (held != wire::kNotOpen) receiver_.limit_through(peer, held + order_.room(peer));
}

size_t ViewSynchrony::next_control(uint8_t* payload, size_t room, uint64_t now_ns) {
  if (!skips_.empty()) {
    wire::ControlHeader header;
    header.kind = wire::ControlKind::kSkip;
    header.incarnation = membership_.self().incarnation;
    header.data_qpn = membership_.self().qpn;
    wire::store_control_header(header, payload);
    wire::store_skip(skips_.back(), payload);
    skips_.pop_back();
    return wire::kSkipBytes;
  }
  return membership_.next_control(payload, room, now_ns);
}

// --- what membership decides ---------------------------------------------------------------------

uint64_t ViewSynchrony::held_through(size_t peer, const wire::StreamName& name) {
  const bool other = peer != self_ && receiver_.incarnation(peer) != name.incarnation;
  return other ? wire::kNotOpen : held_through(peer);
}

uint64_t ViewSynchrony::here_through(size_t peer, const wire::StreamName& name) {
  if (receiver_.incarnation(peer) != name.incarnation) return 0;
  return receiver_.here_through(peer).value_or(0);
}

// Of the members nothing changes: they are followed until the view without them.
void ViewSynchrony::hold_on_to(const membership::Value* value) {
  changed_ = true;
  for (size_t peer = 0; peer < self_; ++peer) {
    if (!membership_.is_member(peer)) receiver_.discharge(peer);
  }
  if (value == nullptr) return;
  for (const wire::BallotEntry& entry : value->entries) {
    const size_t peer = membership_.peer_named(entry.name);
    if (peer < self_ && (entry.flags & wire::kEntryNew) != 0) receiver_.enlist(peer, entry.name);
  }
}

uint64_t ViewSynchrony::held_through(size_t peer) {
  if (peer == self_) return sender_.window().last();
  const auto handed = receiver_.handed_through(peer);
  if (!handed) return wire::kNotOpen;
  if (host_.drained()) return *handed;
  const bool this_incarnation = taken_[peer].incarnation == receiver_.incarnation(peer);
  return this_incarnation ? std::min(*handed, taken_[peer].through) : 0;
}

void ViewSynchrony::fetch(size_t peer, uint64_t cut) {
  changed_ = true;
  receiver_.reveal_through(peer, cut, now_ns_);
}

void ViewSynchrony::serve(size_t peer, uint64_t cut) { serves_[peer] = cut; }

void ViewSynchrony::promised() {
  changed_ = true;
  if (membership_.state() == MemberState::kRecovering) return order_.freeze();
  // Whatever came so far was sent before its sender stopped for this ballot: not of our view.
  // Unless what was accepted in an earlier one is chosen, and its members have gone on.
  if (!membership_.has_accepted()) order_.clear();
  joins_ = true;
}

void ViewSynchrony::installed(const membership::View& before, const membership::View& now,
                              const membership::Value& value) {
  changed_ = true;
  cuts_.clear();
  streams_.clear();
  rate_members_.clear();
  std::fill(serves_.begin(), serves_.end(), 0);
  stayed_ = 0;
  const wire::BallotEntry* const us = value.find(membership_.self());
  for (const wire::BallotEntry& entry : value.entries) {
    const bool stays = (entry.flags & wire::kEntryNew) != 0;
    if (stays && (entry.flags & wire::kEntryOld) != 0) ++stayed_;
    const size_t peer = membership_.peer_named(entry.name);
    if (peer > self_ || (before.size() == 0 && !stays)) continue;
    cuts_.push_back({peer, entry.cut, stays});
    if (stays) {
      streams_.push_back(peer);
      const size_t rank = before.rank_of(entry.name);
      rate_members_.push_back({rank == membership::kNoRank ? std::nullopt : std::optional(rank),
                               (entry.flags & wire::kEntryOld) != 0,
                               uint64_t{entry.room_mbps} * 1'000'000, peer});
    }
    if (peer == self_) continue;
    if (stays) {
      begins_[peer] = entry.cut;
      lacks_ |=
          missed_[peer].incarnation == entry.name.incarnation && missed_[peer].through > entry.cut;
      if (taken_[peer].incarnation != entry.name.incarnation) order_.forget(peer);
      receiver_.reclaim_skipped(peer);
      receiver_.enlist(peer, entry.name);
      sender_.enlist(peer, entry.name, us->cut, now_ns_);
    }
  }
  order_.install(now.id.epoch, cuts_, streams_, membership_.own_rank(), stayed_);
  // Whom this node held on to for another value.
  for (size_t peer = 0; peer < self_; ++peer) {
    const bool named =
        std::any_of(value.entries.begin(), value.entries.end(),
                    [&](const auto& entry) { return membership_.peer_named(entry.name) == peer; });
    if (!named) receiver_.discharge(peer);
  }
  // What else they sent is nobody's: it comes when the view has no place for them.
  for (const wire::BallotEntry& entry : value.entries) {
    const size_t peer = membership_.peer_named(entry.name);
    if ((entry.flags & wire::kEntryNew) != 0 || peer >= self_ || before.size() == 0) continue;
    receiver_.expel(peer);
    sender_.expel(peer, entry.name, now_ns_);
  }
}

void ViewSynchrony::view_begins() {
  const membership::View& view = membership_.view();
  host_.view_event({ViewEvent::What::kView, view.id, view.members, stayed_});
}

// --- rates ---------------------------------------------------------------------------------------

uint64_t ViewSynchrony::own_ack(size_t rank) {
  const uint64_t applied = order_.applied(rank);
  if (rates_ == nullptr || rank != order_.rate_marker()) return applied;
  return rates_->acknowledge(applied);
}

void ViewSynchrony::rates(size_t stream, PacketHandle packet) {
  if (rates_ != nullptr) rates_->take(order_.rank_of(stream), host_.payload(packet));
}

void ViewSynchrony::rates_marked(uint64_t position) {
  if (rates_ != nullptr) rates_->marked(position);
}

void ViewSynchrony::view_ended() {
  if (rates_ == nullptr) return;
  const membership::View& view = membership_.view();
  std::optional<size_t> tie_breaker;
  for (size_t rank = 0; tie_breaker_ && rank < view.size(); ++rank) {
    if (view.members[rank].gid == *tie_breaker_) tie_breaker = rank;
  }
  rates_->view_ended(view.id.epoch, rate_members_, membership_.own_rank(), tie_breaker, now_ns_);
}

void ViewSynchrony::excluded(bool left) {
  changed_ = true;
  if (rates_ != nullptr) rates_->out();
  order_.freeze();
  for (size_t peer = 0; peer < self_; ++peer) {
    receiver_.discharge(peer);
    sender_.discharge(peer, now_ns_);
  }
  // The others cut this node off, now that their view is without it: it is owed nothing any more.
  if (left) receiver_.leave();
  host_.view_event(
      {left ? ViewEvent::What::kLeft : ViewEvent::What::kExcluded, membership_.view().id, {}, 0});
  order_.abandon();
}

}  // namespace lambdacast::node
