// SPDX-License-Identifier: BSD-3-Clause
#include "group/locks.h"

namespace lambdacast::group {
namespace {

using What = LockChange::What;

// The index of a view's beginning is all ones, so that its place is 0.
constexpr GrantPlace place_of(const EventId& at) { return {at.epoch, at.index + 1}; }

}  // namespace

void Locks::acquire(const Group& group, const wire::GroupLock& asked, size_t rank,
                    const EventId& at) {
  const GrantPlace place = place_of(at);
  const bool has_state = group.members.holders().contains(rank);
  const LockChange answer =
      has_state ? table_.acquire(group.number, asked, rank, place, group.suspended())
                : LockChange{What::kRefused, kGone, asked.handler, {}};
  const bool news = answer.what == What::kGranted && answer.token == place;
  counters_.granted += news ? 1 : 0;
  counters_.queued += answer.what == What::kQueued ? 1 : 0;
  counters_.refused += answer.what == What::kRefused ? 1 : 0;
  if (news || rank == nodes_.own_rank()) tell(group, answer);
}

void Locks::release(const Group& group, const wire::GroupLock& given, size_t rank) {
  const size_t heir = nodes_.rank_of(given.heir);
  const bool inherits = heir != nodes_.size() && group.members.holders().contains(heir);
  if (!table_.release(group.number, given, rank, inherits ? heir : kGone))
    ++counters_.void_releases;
}

// Handlers that are told may ask for more, which comes back in the order.
void Locks::settle(const Group& group, const EventId& at) {
  changes_.clear();
  table_.settle(group.number, place_of(at), group.suspended(), changes_);
  for (const LockChange& change : changes_) {
    const bool moved = change.what == What::kMoved;
    counters_.moved += moved ? 1 : 0;
    counters_.moved_by_view += moved && at.index == wire::kViewIndex ? 1 : 0;
    if (!begins_) tell(group, change);
  }
  if (begins_) tell_held(group);
  begins_ = false;
}

void Locks::tell_held(const Group& group) {
  table_.for_each_of(group.number, [&](const Lock& lock) {
    if (lock.held()) tell(group, {What::kGranted, lock.holder, lock.handler, lock.token});
  });
}

void Locks::tell(const Group& group, const LockChange& change) {
  LocalGroup* const local = locals_.of(group);
  if (local != nullptr && !local->change(change, nodes_)) locals_.give_up(*local);
}

}  // namespace lambdacast::group
