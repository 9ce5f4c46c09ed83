#include "membership/speech.h"

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

uint64_t Speech::next_deadline_ns() const {
  if (install_.pending()) return 0;
  if (member_.state() != MemberState::kExcluded) return member_due_ns();
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
  if (member_said_ns_ != 0 && now_ns < member_due_ns()) return 0;
  if (member_.state() == MemberState::kExcluded && !says_out_) return 0;
  return write_member(payload, room, now_ns);
}

uint8_t Speech::flags() {
  uint8_t flags = 0;
  if (member_.leaving()) flags |= wire::kMemberLeaving;
  if (detector_.take_starved()) flags |= wire::kMemberStarved;
  if (member_.state() != MemberState::kJoining) return flags;
  if (member_.ready_to_join()) flags |= wire::kMemberReady;
  if (member_.holds_on()) flags |= wire::kMemberHolds;
  return flags;
}

size_t Speech::write_member(uint8_t* payload, size_t room, uint64_t now_ns) {
  const View& view = member_.view();
  const size_t ranks = std::min(view.size(), (room - wire::kMemberBytes) / 8);
  for (size_t rank = 0; rank < ranks; ++rank)
    wire::store_member_ack(host_.own_ack(rank), payload, rank);
  const size_t left = room - wire::kMemberBytes - ranks * 8;
  const size_t names = std::min(out_.size(), left / wire::kStreamNameBytes);
  for (size_t i = 0; i < names; ++i) wire::store_member_name(out_[i], payload, ranks, i);
  out_.clear();
  wire::ControlHeader header = control_header(config_.self, wire::ControlKind::kMember, ranks);
  header.flags = flags();
  wire::store_control_header(header, payload);
  wire::store_member({view.id, member_.state(), static_cast<uint8_t>(names),
                      static_cast<uint16_t>(view.size()), detector_.complaints()},
                     payload);
  ack_from_ns_ = kNoAck;
  member_said_ns_ = now_ns;
  ++members_;
  return wire::kMemberBytes + ranks * 8 + names * wire::kStreamNameBytes;
}

}  // namespace lambdacast::membership
