// SPDX-License-Identifier: BSD-3-Clause
#include "membership/failure_detector.h"

#include <algorithm>

namespace lambdacast::membership {

using wire::MemberState;

FailureDetector::FailureDetector(const MembershipConfig& config)
    : config_(config), clock_(config.heartbeat_ns), peers_(config.max_peers) {
  view_.members.reserve(wire::kMaxMembers);
  rank_peer_.reserve(wire::kMaxMembers);
}

// --- time ----------------------------------------------------------------------------------------

void FailureDetector::pass(uint64_t now_ns) {
  const uint64_t starved = clock_.starved();
  clock_.advance(now_ns);
  if (clock_.starved() == starved) return;
  starved_ = true;
  starved_uptime_ns_ = clock_.uptime_ns();
  ++starved_times_;
}

// --- what is heard -------------------------------------------------------------------------------

void FailureDetector::heard(size_t peer, const wire::StreamName& name, uint64_t now_ns) {
  pass(now_ns);  // or silence would be counted from the last tick, longer than it is
  Peer& entry = peers_[peer];
  if (entry.known && entry.name != name) {
    // An older number is a frame that comes late, or, behind a silence, one whose clock was set
    // back. Another node has the place of one that is gone, whatever its number.
    const bool another = entry.name.gid != name.gid || entry.name.qpn != name.qpn;
    const bool older = static_cast<int32_t>(name.incarnation - entry.name.incarnation) < 0;
    if (older && !another && alive(entry)) {
      entry.late = true;
      entry.older = name.incarnation;
      return;
    }
  }
  follow(entry, name);
}

void FailureDetector::follow(Peer& peer, const wire::StreamName& name) {
  if (peer.known && peer.name != name) {
    peer.said = {};
    peer.said_ns = peer.flags = 0;
    peer.buried = false;
  }
  peer.known = true;
  peer.name = name;
  peer.late = false;
  peer.heard_uptime_ns = clock_.uptime_ns();
}

bool FailureDetector::take(size_t peer, const wire::ControlHeader& header,
                           const wire::MemberFrame& frame) {
  Peer& entry = peers_[peer];
  if (header.timestamp_ns < entry.said_ns) return false;
  entry.said_ns = header.timestamp_ns;
  entry.flags = header.flags;
  entry.order = header.statuses;
  entry.said = frame;
  return true;
}

void FailureDetector::came_along(size_t peer) {
  peers_[peer].said.view = view_.id;
  peers_[peer].said.suspects.clear();  // by the ranks of the view before
}

bool FailureDetector::bury(const wire::StreamName& name) {
  const size_t peer = peer_named(name);
  if (peer >= peers_.size()) return false;
  Peer& entry = peers_[peer];
  if (entry.older == name.incarnation) entry.late = false;
  if (entry.name != name) return false;
  return !std::exchange(entry.buried, true);
}

void FailureDetector::forget_holders() {
  for (Peer& peer : peers_) peer.flags &= static_cast<uint8_t>(~wire::kMemberHolds);
}

void FailureDetector::accuse(size_t peer) {
  if (peers_[peer].rank == kNoRank) return;
  slow_.add(peers_[peer].rank);
  slow_uptime_ns_ = clock_.uptime_ns();
}

// --- peers ---------------------------------------------------------------------------------------

size_t FailureDetector::peer_named(const wire::StreamName& name) const {
  if (name == config_.self) return config_.max_peers;
  for (size_t peer = 0; peer < peers_.size(); ++peer) {
    const wire::StreamName& has = peers_[peer].name;
    if (peers_[peer].known && has.gid == name.gid && has.qpn == name.qpn) return peer;
  }
  return kNoRank;
}

bool FailureDetector::another_view_is_there() const {
  return std::any_of(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return alive(peer) && peer.said.view.epoch != 0 && peer.said.state != MemberState::kExcluded;
  });
}

bool FailureDetector::somebody_holds_on() const {
  return std::any_of(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return alive(peer) && peer.said.state == MemberState::kJoining &&
           (peer.flags & wire::kMemberHolds) != 0;
  });
}

const FailureDetector::Peer* FailureDetector::orders_otherwise() const {
  const auto found = std::find_if(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return alive(peer) && peer.said_ns != 0 && peer.order != config_.order &&
           peer.said.state != MemberState::kExcluded;
  });
  return found == peers_.end() ? nullptr : &*found;
}

// --- the view ------------------------------------------------------------------------------------

void FailureDetector::watch(const View& view, size_t own_rank) {
  view_ = view;
  own_rank_ = own_rank;
  suspected_.clear();
  over_.clear();
  slow_.clear();
  for (Peer& peer : peers_) {
    peer.rank = kNoRank;
    peer.along_uptime_ns = clock_.uptime_ns();
  }
  rank_peer_.clear();
  for (size_t rank = 0; rank < view_.size(); ++rank) {
    const wire::StreamName& name = view_.members[rank];
    const size_t peer = peer_named(name);
    rank_peer_.push_back(peer);
    if (peer >= peers_.size()) continue;
    Peer& entry = peers_[peer];
    entry.rank = rank;
    // Its clock was set back. This node has read frames of a life before it that came late, and its
    // streams, which follow lives by clocks of their own, have followed the member already.
    if (entry.name != name && entry.late && entry.older == name.incarnation) follow(entry, name);
  }
}

bool FailureDetector::look() {
  const auto heard = std::count_if(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return alive(peer) && peer.said_ns != 0;
  });
  crowded_ = static_cast<size_t>(heard) + 1 > wire::kMaxNarrowMembers;
  if (clock_.uptime_ns() - slow_uptime_ns_ > config_.suspect_after_ns / 2) slow_.clear();
  const base::NodeSet before = suspected_;
  suspected_.clear();
  over_.clear();
  for (size_t rank = 0; rank < view_.size(); ++rank) {
    if (rank == own_rank_) continue;
    Peer& peer = peers_[rank_peer_[rank]];
    const bool out = peer.said.view == view_.id && peer.said.state == MemberState::kExcluded;
    const bool silent = !alive(peer) || out;
    if (silent || peer.said.view.epoch >= view_.id.epoch) peer.along_uptime_ns = clock_.uptime_ns();
    const bool over = out || peer.buried || peer.name != view_.members[rank];
    if (over) over_.add(rank);
    if (silent || over) suspected_.add(rank);
  }
  if (suspected_.within(before)) return false;
  suspicions_ += (suspected_ - before).count();
  return true;
}

// A member that suspects more than half of the view is deaf itself, and so is one that suspects
// this node, unless this node has just not been run: they will hear it again. A member that has
// found this node too slow meanwhile says so for half of suspect_after.
base::NodeSet FailureDetector::accused() const {
  base::NodeSet accused = slow_ - suspected_;
  const size_t alive = view_.size() - suspected_.count();
  const bool awake = clock_.uptime_ns() - starved_uptime_ns_ > config_.suspect_after_ns;
  for (size_t rank = 0; rank < view_.size(); ++rank) {
    if (rank == own_rank_ || suspects(rank)) continue;
    const Peer& peer = member(rank);
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

bool FailureDetector::speaks_for_view() const {
  for (size_t rank = 0; rank < own_rank_; ++rank) {
    if (!suspects(rank) && member(rank).said.view == view_.id) return false;
  }
  return true;
}

uint64_t FailureDetector::silent_ns(size_t rank) const {
  if (rank_peer_[rank] >= peers_.size()) return 0;
  return clock_.uptime_ns() - member(rank).heard_uptime_ns;
}

}  // namespace lambdacast::membership
