// SPDX-License-Identifier: BSD-3-Clause
#include "membership/impasse.h"

#include <algorithm>

namespace lambdacast::membership {

using State = wire::MemberState;

void Impasse::look() {
  const Standing now = stands();
  const uint64_t uptime_ns = detector_.uptime_ns();
  if (now.what != seen_.what) since_uptime_ns_ = uptime_ns;
  if (now != seen_) same_since_uptime_ns_ = uptime_ns;
  seen_ = now;
  const bool lasts = uptime_ns - since_uptime_ns_ > config_.suspect_after_ns;
  if (!holds_on_in_vain()) in_vain_uptime_ns_ = uptime_ns;
  over_ = (lasts && now.what == Standing::What::kNoQuorum && nothing_can_follow()) ||
          uptime_ns - in_vain_uptime_ns_ > config_.suspect_after_ns;
  if (now.what != told_.what) told_ = {};
  // Who comes and goes meanwhile is told when it has ended.
  if (uptime_ns - same_since_uptime_ns_ > config_.suspect_after_ns) told_ = now;
}

void Impasse::end() {
  told_ = stands();
  told_.what = Standing::What::kOver;
  if (member_.view().id.epoch == 0) told_.view = member_.may_be().id;
  over_ = false;
}

void Impasse::clear() {
  if (told_.what != Standing::What::kOver) told_ = {};
  over_ = false;
}

Standing Impasse::stands() const {
  Standing standing = member_.view().id.epoch == 0 ? among_joiners() : in_view();
  if (standing.what == Standing::What::kNoQuorum) return standing;
  const FailureDetector::Peer* const other = detector_.orders_otherwise();
  if (other == nullptr) return standing;
  standing.what = Standing::What::kOrder;
  standing.other = other->name;
  return standing;
}

Standing Impasse::among_joiners() const {
  const FailureDetector::Peer* with_view = nullptr;
  size_t joiners = 1;
  for (const auto& peer : detector_.peers()) {
    if (!detector_.alive(peer) || peer.said_ns == 0) continue;
    if (peer.said.state == State::kJoining) ++joiners;
    const bool has = peer.said.view.epoch != 0 && peer.said.state != State::kExcluded;
    if (has && (with_view == nullptr || peer.said.view.epoch > with_view->said.view.epoch))
      with_view = &peer;
  }
  Standing standing;
  if (with_view == nullptr) {
    standing.what = Standing::What::kFirstView;
    standing.here = joiners;
    standing.needed = std::max(config_.initial_nodes, config_.minimum_partition);
    return standing;
  }
  standing.what = Standing::What::kOthers;
  standing.view = with_view->said.view;
  standing.needed = with_view->said.members / 2u + 1;
  const auto& peers = detector_.peers();
  standing.here = static_cast<size_t>(std::count_if(peers.begin(), peers.end(), [&](auto& peer) {
    return detector_.alive(peer) && peer.said.view == standing.view &&
           peer.said.state != State::kExcluded;
  }));
  return standing;
}

// Who is about to change its view is in no impasse as long as enough are there: only if it lasts.
Standing Impasse::in_view() const {
  const base::NodeSet& missing = detector_.suspected();
  const size_t here = member_.view().size() - missing.count();
  const bool enough =
      is_quorum_without(member_.view(), missing) && here >= config_.minimum_partition;
  if (enough && member_.state() == State::kOperational) return {};
  Standing standing;
  standing.what = Standing::What::kNoQuorum;
  standing.view = member_.view().id;
  standing.here = here;
  standing.needed = std::max(member_.view().size() / 2 + 1, config_.minimum_partition);
  standing.missing = missing;
  standing.over = detector_.over();
  return standing;
}

bool Impasse::is_quorum_without(const View& view, const base::NodeSet& gone) const {
  size_t votes = 0;
  bool tie_broken = false;
  for (size_t rank = 0; rank < view.size(); ++rank) {
    if (gone.contains(rank)) continue;
    ++votes;
    tie_broken = tie_broken || view.members[rank].gid == config_.tie_breaker;
  }
  return is_quorum(votes, view.size(), tie_broken);
}

// Whoever is heard in a later view that goes on has it from a quorum of this one.
bool Impasse::nothing_can_follow() const {
  return !is_quorum_without(member_.view(), detector_.over()) &&
         !somebody_goes_on(member_.view().id.epoch + 1);
}

bool Impasse::somebody_goes_on(uint64_t epoch) const {
  const auto& peers = detector_.peers();
  return std::any_of(peers.begin(), peers.end(), [&](const FailureDetector::Peer& peer) {
    return detector_.alive(peer) && peer.said.state == State::kOperational &&
           peer.said.view.epoch >= epoch;
  });
}

// A joiner that was ready for a view keeps the streams of the lives that are its members, for it
// may have been chosen. Their next lives it does not hear meanwhile. (First views have rules of
// their own, by which it lets go and goes on as the same life: Member::refutes().)
bool Impasse::holds_on_in_vain() const {
  const View& view = member_.may_be();
  if (member_.state() != State::kJoining || !member_.holds_on() || view.id.epoch < 2) return false;
  base::NodeSet over;
  for (size_t rank = 0; rank < view.size(); ++rank) {
    const size_t peer = detector_.peer_named(view.members[rank]);
    if (peer < detector_.size() && FailureDetector::is_over(detector_.at(peer), view.members[rank]))
      over.add(rank);
  }
  return !is_quorum_without(view, over) && !somebody_goes_on(view.id.epoch);
}

}  // namespace lambdacast::membership
