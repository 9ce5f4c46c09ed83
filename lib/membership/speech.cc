// SPDX-License-Identifier: BSD-3-Clause
#include "membership/speech.h"

#include <utility>

namespace lambdacast::membership {

using wire::MemberState;

Speech::Speech(const MembershipConfig& config, FailureDetector& detector, Member& member,
               MembershipHost& host)
    : config_(config), detector_(detector), member_(member), host_(host) {
  out_.reserve(wire::kMaxMembers);
}

void Speech::note_latecomer(const FailureDetector::Peer& peer, uint64_t now_ns) {
  const View& view = member_.view();
  if (view.id.epoch == 0 || !detector_.speaks_for_view()) return;
  if (peer.said.view.epoch >= view.id.epoch) return;
  if (view.rank_of(peer.name) != kNoRank) {
    if (!install_.pending() && now_ns - install_said_ns_ >= config_.retry_ns) install_.begin();
    return;
  }
  if (peer.said.view.epoch == 0 && !member_.was_expelled(peer.name)) return;  // it joins
  // Nobody is out for a view that may be over itself: there may be a first one again.
  if (member_.stranded()) return;
  if (out_.size() == out_.capacity() ||
      std::find(out_.begin(), out_.end(), peer.name) != out_.end())
    return;
  out_.push_back(peer.name);
}

void Speech::view_begins(bool own, uint64_t now_ns) {
  install_said_ns_ = now_ns;
  if (own)
    install_.begin();
  else
    install_.stop();
  member_next_ = kSaid;
  out_.clear();
  hurry();
}

void Speech::say_farewell(uint64_t now_ns) {
  install_said_ns_ = now_ns;
  install_.begin();
  farewells_ = kFarewells;
}

// --- frames --------------------------------------------------------------------------------------

uint64_t Speech::member_due_ns() const {
  const uint64_t ack_ns = std::max(ack_from_ns_, member_said_ns_ + config_.ack_ns);
  return std::min(ack_ns, member_said_ns_ + config_.heartbeat_ns);
}

// A node that takes no frame of version 2 has to hear of a wide view all the same, or it would
// begin a view of its own. One member speaks for all.
uint64_t Speech::notice_due_ns() const {
  const bool speaks = member_.view().size() > wire::kMaxNarrowMembers &&
                      member_.state() != MemberState::kExcluded && detector_.speaks_for_view();
  return speaks ? notice_said_ns_ + config_.heartbeat_ns : ~uint64_t{0};
}

uint64_t Speech::next_deadline_ns() const {
  if (install_.pending() || (member_next_ != kSaid && speaks())) return 0;
  if (member_.state() != MemberState::kExcluded) return std::min(member_due_ns(), notice_due_ns());
  const uint64_t farewell_ns = farewells_ != 0 ? install_said_ns_ + config_.retry_ns : ~uint64_t{0};
  return says_out_ ? std::min(farewell_ns, member_due_ns()) : farewell_ns;
}

size_t Speech::next_control(uint8_t* payload, size_t room, uint64_t now_ns) {
  if (!install_.pending() && farewells_ != 0 && now_ns >= install_said_ns_ + config_.retry_ns) {
    --farewells_;
    install_.begin();
  }
  if (install_.pending()) {
    install_said_ns_ = now_ns;
    ++installs_;
    const Member::Decision& last = member_.decision();
    return install_.write(payload, room, config_.self, last.id, last.previous,
                          wire::BallotPhase::kInstall, last.value);
  }
  if (member_next_ != kSaid && speaks()) return write_member(payload, room);
  if (member_said_ns_ != 0 && now_ns < member_due_ns())
    return now_ns >= notice_due_ns() ? write_notice(payload, now_ns) : 0;
  if (!speaks()) return 0;
  begin_member(now_ns);
  return write_member(payload, room);
}

uint8_t Speech::flags() {
  uint8_t flags = 0;
  if (member_.leaving()) flags |= wire::kMemberLeaving;
  if (detector_.take_starved()) flags |= wire::kMemberStarved;
  if (detector_.crowded() || member_.view().size() > wire::kMaxNarrowMembers)
    flags |= wire::kMemberWide;
  if (member_.state() != MemberState::kJoining) return flags;
  // Among nodes that order otherwise it does not join: theirs is another order.
  if (member_.ready_to_join() && detector_.orders_otherwise() == nullptr)
    flags |= wire::kMemberReady;
  if (member_.holds_on_to_first()) flags |= wire::kMemberHolds;
  return flags;
}

void Speech::begin_member(uint64_t now_ns) {
  member_next_ = 0;
  flags_ = flags();
  ack_from_ns_ = kNoAck;
  member_said_ns_ = now_ns;
}

// As many ranks as there is room for, and behind the last of them the names. The first part of a
// narrow view is what nodes that know version 1 alone expect, whether others follow or not.
size_t Speech::write_member(uint8_t* payload, size_t room) {
  const View& view = member_.view();
  const size_t first = std::min(std::exchange(member_next_, kSaid), view.size());
  const bool wide = first != 0 || view.size() > wire::kMaxNarrowMembers;
  const size_t head = wire::member_bytes(wide);
  const size_t ranks = std::min(view.size() - first, (room - head) / 8);
  wire::store_control_header(member_header(ranks, wide), payload);
  for (size_t i = 0; i < ranks; ++i) wire::store_member_ack(host_.own_ack(first + i), payload, i);
  const bool last = first + ranks == view.size();
  const size_t names = last ? write_names(payload, room - head - ranks * 8, ranks) : 0;
  if (!last || !out_.empty()) member_next_ = first + ranks;
  wire::store_member(
      {view.id, member_.state(), static_cast<uint8_t>(names), static_cast<uint16_t>(view.size()),
       detector_.complaints(), static_cast<uint16_t>(first), config_.room_bps},
      payload);
  ++members_;
  return head + ranks * 8 + names * wire::kStreamNameBytes;
}

// Returns how many there is room for. A frame of version 1 has told all that fit: who does not hear
// it is noted anew. Where nothing fits, and in version 2, the others go in another part.
size_t Speech::write_names(uint8_t* payload, size_t room, size_t ranks) {
  const size_t names = std::min(out_.size(), room / wire::kStreamNameBytes);
  for (size_t i = 0; i < names; ++i) wire::store_member_name(out_[i], payload, ranks, i);
  const bool drops = names != 0 && !wire::is_wide(payload);
  out_.erase(out_.begin(), drops ? out_.end() : out_.begin() + static_cast<std::ptrdiff_t>(names));
  return names;
}

size_t Speech::write_notice(uint8_t* payload, uint64_t now_ns) {
  notice_said_ns_ = now_ns;
  const View& view = member_.view();
  wire::store_control_header(member_header(0, false), payload);
  wire::store_member(
      {view.id, member_.state(), 0, static_cast<uint16_t>(view.size()), detector_.complaints(), 0},
      payload);
  ++members_;
  return wire::kMemberBytes;
}

wire::ControlHeader Speech::member_header(size_t ranks, bool wide) const {
  wire::ControlHeader header =
      control_header(config_.self, wire::ControlKind::kMember, ranks, wide);
  header.flags = flags_;
  header.statuses = config_.order;
  return header;
}

}  // namespace lambdacast::membership
