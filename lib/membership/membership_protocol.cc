#include "membership/membership_protocol.h"

#include <algorithm>
#include <array>

namespace lambdacast::membership {

MembershipProtocol::MembershipProtocol(const MembershipConfig& config, MembershipHost& host)
    : config_(config),
      host_(host),
      clock_(config.heartbeat_ns),
      peers_(config.max_peers),
      round_(config.tie_breaker, std::max(config.initial_nodes, config.minimum_partition)),
      report_next_(kDone),
      install_next_(kDone) {
  view_.members.reserve(wire::kMaxMembers);
  next_view_.members.reserve(wire::kMaxMembers);
  rank_peer_.reserve(wire::kMaxMembers);
  out_.reserve(wire::kMaxMembers);
  expelled_.reserve(kExpelled);
  ballot_next_ = kDone;
}

size_t MembershipProtocol::peer_named(const wire::StreamName& name) const {
  if (name == config_.self) return config_.max_peers;
  for (size_t peer = 0; peer < peers_.size(); ++peer) {
    const wire::StreamName& has = peers_[peer].name;
    if (peers_[peer].known && has.gid == name.gid && has.qpn == name.qpn) return peer;
  }
  return kNoRank;
}

void MembershipProtocol::heard(size_t peer, const wire::StreamName& name, uint64_t now_ns) {
  pass(now_ns);  // or silence would be counted from the last tick, longer than it is
  Peer& entry = peers_[peer];
  if (entry.known && entry.name.incarnation != name.incarnation) {
    if (static_cast<int32_t>(name.incarnation - entry.name.incarnation) < 0) return;
    entry.said = {};
    entry.said_ns = entry.flags = 0;
  }
  entry.known = true;
  entry.name = name;
  entry.heard_uptime_ns = clock_.uptime_ns();
}

void MembershipProtocol::accept(size_t peer, const uint8_t* payload,
                                const wire::ControlHeader& header, uint64_t now_ns) {
  Peer& entry = peers_[peer];
  if (entry.name.incarnation != header.incarnation) return;
  if (state_ == State::kExcluded) {
    if (header.kind == wire::ControlKind::kMember &&
        wire::load_member(payload).view.epoch > view_.id.epoch)
      says_out_ = false;
    return;
  }
  switch (header.kind) {
    case wire::ControlKind::kMember:
      take_member(entry, payload, header);
      break;
    case wire::ControlKind::kBallot:
      take_ballot(payload, header);
      break;
    case wire::ControlKind::kVote:
      take_vote(entry, payload, header);
      break;
    default:
      return;
  }
  if (round_.active()) drive_round(now_ns);
  try_install(now_ns);
}

void MembershipProtocol::take_member(Peer& peer, const uint8_t* payload,
                                     const wire::ControlHeader& header) {
  if (header.timestamp_ns < peer.said_ns) return;  // late
  peer.said_ns = header.timestamp_ns;
  peer.flags = header.flags;
  peer.said = wire::load_member(payload);
  if (peer.said.view.epoch > view_.id.epoch) {
    for (size_t i = 0; i < peer.said.names; ++i) {
      if (wire::load_member_name(payload, header.entries, i) == config_.self)
        return leave_view(leaving_);
    }
  }
  if (peer.said.view != view_.id || peer.rank == kNoRank) return note_latecomer(peer);
  const size_t ranks = std::min<size_t>(header.entries, view_.size());
  if (state_ != State::kOperational || peer.said.state != State::kOperational) return;
  std::array<uint64_t, wire::kMaxMembers> through;
  for (size_t rank = 0; rank < ranks; ++rank) through[rank] = wire::load_member_ack(payload, rank);
  host_.acknowledged(peer.rank, {through.data(), ranks});
}

// A node that has not come along to our view: a member of it hears it again, one that was left out
// of it is told so. One member speaks for all.
void MembershipProtocol::note_latecomer(const Peer& peer) {
  if (view_.id.epoch == 0 || !speaks_for_view()) return;
  const bool behind = peer.said.view.epoch < view_.id.epoch;
  if (!behind) return;
  if (view_.rank_of(peer.name) != kNoRank) {
    if (install_next_ == kDone && tick_ns_ - install_said_ns_ >= config_.retry_ns)
      install_next_ = 0;
    return;
  }
  if (peer.said.view.epoch == 0 && !was_expelled(peer.name)) return;  // it joins
  if (out_.size() == out_.capacity() ||
      std::find(out_.begin(), out_.end(), peer.name) != out_.end())
    return;
  out_.push_back(peer.name);
}

bool MembershipProtocol::was_expelled(const wire::StreamName& name) const {
  return std::find(expelled_.begin(), expelled_.end(), name) != expelled_.end();
}

// The lowest-ranked of those who have come as far as we have.
bool MembershipProtocol::speaks_for_view() const {
  for (size_t rank = 0; rank < own_rank_; ++rank) {
    if (!suspects(rank) && peers_[rank_peer_[rank]].said.view == view_.id) return false;
  }
  return true;
}

void MembershipProtocol::accuse(size_t peer) {
  if (peers_[peer].rank == kNoRank) return;
  slow_.add(peers_[peer].rank);
  slow_lived_ns_ = clock_.uptime_ns();
}

bool MembershipProtocol::stranded() const {
  return state_ == State::kRecovering &&
         clock_.uptime_ns() - frozen_lived_ns_ > config_.suspect_after_ns;
}

uint64_t MembershipProtocol::silent_ns(size_t rank) const {
  const size_t peer = rank_peer_[rank];
  if (peer >= config_.max_peers) return 0;
  return clock_.uptime_ns() - peers_[peer].heard_uptime_ns;
}

// --- time ----------------------------------------------------------------------------------------

void MembershipProtocol::pass(uint64_t now_ns) {
  const uint64_t starved = clock_.starved();
  clock_.advance(now_ns);
  if (clock_.starved() == starved) return;
  starved_ = true;
  starved_lived_ns_ = clock_.uptime_ns();
  ++counters_.starved;
}

void MembershipProtocol::tick(uint64_t now_ns, bool listening) {
  tick_ns_ = now_ns;
  if (!listening) return clock_.skip(now_ns);
  pass(now_ns);
  if (state_ == State::kExcluded) return;
  if (wants_value_ || wants_accept_ || chosen_waits_) {
    seek_readiness();
    if (round_.active()) drive_round(now_ns);
    try_install(now_ns);
  }
  if (now_ns < next_look_ns_) return;
  next_look_ns_ = now_ns + std::min(config_.heartbeat_ns / 2, config_.retry_ns);
  suspect();
  coordinate(now_ns);
}

void MembershipProtocol::suspect() {
  if (clock_.uptime_ns() - slow_lived_ns_ > config_.suspect_after_ns / 2) slow_.clear();
  const base::NodeSet before = suspected_;
  suspected_.clear();
  for (size_t rank = 0; rank < view_.size(); ++rank) {
    if (rank == own_rank_) continue;
    Peer& peer = peers_[rank_peer_[rank]];
    const bool out = peer.said.view == view_.id && peer.said.state == State::kExcluded;
    const bool silent = !alive(peer) || out;
    if (silent || peer.said.view.epoch >= view_.id.epoch) peer.along_uptime_ns = clock_.uptime_ns();
    if (silent || peer.name != view_.members[rank]) suspected_.add(rank);
  }
  if (suspected_.within(before)) return;
  counters_.suspicions += (suspected_ - before).count();
  hurry();  // whoever leads should hear of it
}

// Whom the others suspect, or this node finds too slow. Who suspects more than half of the view is
// deaf itself, and so is who suspects this node, unless it has just not been run: they will hear it
// again. Who has found it too slow meanwhile says so for half of suspect_after.
base::NodeSet MembershipProtocol::accused() const {
  base::NodeSet accused = slow_ - suspected_;
  const size_t alive = view_.size() - suspected_.count();
  const bool awake = clock_.uptime_ns() - starved_lived_ns_ > config_.suspect_after_ns;
  for (size_t rank = 0; rank < view_.size(); ++rank) {
    if (rank == own_rank_ || suspects(rank)) continue;
    const Peer& peer = peers_[rank_peer_[rank]];
    if (peer.said.view != view_.id) continue;
    const base::NodeSet suspects = peer.said.suspects - suspected_;
    if (suspects.empty()) continue;
    const bool deaf = 2 * suspects.count() > alive;
    const bool us = own_rank_ != kNoRank && suspects.contains(own_rank_);
    accused |= deaf || (us && awake) ? base::NodeSet::of(rank) : suspects;
  }
  if (own_rank_ != kNoRank) accused.remove(own_rank_);
  return accused;
}

// Whom the next view is to be without. Accusations that would leave no quorum, or fewer than a view
// must have, are disregarded: members whose ballots have failed so far hold each other's windows
// back, and nobody is slow.
base::NodeSet MembershipProtocol::given_up() const {
  const base::NodeSet all = suspected_ | accused();
  if (all == suspected_) return all;
  size_t left = 0;
  bool tie_broken = false;
  auto members = static_cast<size_t>(std::count_if(
      peers_.begin(), peers_.end(), [&](const Peer& peer) { return may_join(peer); }));
  for (size_t rank = 0; rank < view_.size(); ++rank) {
    if (all.contains(rank)) continue;
    ++left;
    if (!is_leaving(rank)) ++members;
    tie_broken = tie_broken || view_.members[rank].gid == config_.tie_breaker;
  }
  const bool quorum = is_quorum(left, view_.size(), tie_broken);
  return quorum && members >= config_.minimum_partition ? all : suspected_;
}

uint64_t MembershipProtocol::member_due_ns() const {
  const uint64_t ack_ns = std::max(ack_from_ns_, member_said_ns_ + config_.ack_ns);
  return std::min(ack_ns, member_said_ns_ + config_.heartbeat_ns);
}

uint64_t MembershipProtocol::next_deadline_ns() const {
  if (state_ == State::kExcluded) {
    if (install_next_ != kDone) return 0;
    const uint64_t next_ns = farewells_ != 0 ? install_said_ns_ + config_.retry_ns : ~uint64_t{0};
    if (!says_out_) return next_ns;
    return std::min(next_ns, member_due_ns());
  }
  if (vote_due_ || install_next_ != kDone || (ballot_next_ != kDone && round_.active()) ||
      (report_next_ != kDone && accepted_))
    return 0;
  uint64_t next_ns = std::min(member_due_ns(), next_look_ns_);
  if (round_.active()) next_ns = std::min(next_ns, resend_ns_);
  return next_ns;
}

}  // namespace lambdacast::membership
