// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/allocation.h"

#include <algorithm>

namespace lambdacast::rate_control {
namespace {

using base::NodeSet;

uint64_t limit(uint64_t bps) { return bps == 0 ? kUnlimitedBps : bps; }

}  // namespace

void Allocation::begin(uint64_t epoch, std::span<const Member> members, size_t own_rank) {
  // A member whose first view ended early remembers other shares of the departed than the rest do.
  const bool newcomer = !members[own_rank].before || known_settled_ < informed_at_;
  NodeSet gone = NodeSet::first(members_);
  for (const Member& member : members) {
    if (member.before) gone.remove(*member.before);
  }
  // This endpoint may not have heard of the shares of those who are gone, or of what was kept
  // before it came.
  const bool stayed = members[own_rank].before.has_value();
  knows_departed_ = !newcomer || !stayed || (gone.empty() && heard_reserve_);
  // With shares that a later event has lowered: a member that has died need not have heard of it.
  gone.for_each([&](size_t rank) {
    departed_bps_ =
        std::min(departed_bps_ + std::min(highest(rank), wire::kMostBps), wire::kMostDepartedBps);
  });
  for (size_t i = 0; i < count_; ++i) {
    const std::array<uint64_t, wire::kMaxMembers> before = entry(i).high;
    for (size_t rank = 0; rank < members.size(); ++rank)
      entry(i).high[rank] = members[rank].before ? before[*members[rank].before] : 0;
  }
  if (newcomer) count_ = 0;
  members_ = members.size();
  own_rank_ = own_rank;
  for (size_t rank = 0; rank < members_; ++rank) rates_[rank] = members[rank].rates;
  newest_ = {epoch, 0};
  if (newcomer) {
    settled_ = known_settled_ = newest_;
    informed_at_ = kNever;
  }
  heard_ = newcomer ? NodeSet() : NodeSet::first(members_);
  heard_reserve_ = !newcomer;
  changed_ = true;
  compute(rates_, {shares_.data(), members_});
  enter(newest_);
  changed_ = false;
  settle_own();
}

void Allocation::announce(size_t rank, const MemberRates& rates, const Event& settled) {
  rates_[rank] = rates;
  heard_.add(rank);
  known_settled_ = std::max(known_settled_, std::min(settled, newest_));
  changed_ = true;
}

void Allocation::reserve(uint64_t departed_bps, const Event& settled) {
  departed_bps_ = departed_bps;
  heard_reserve_ = true;
  known_settled_ = std::max(known_settled_, std::min(settled, newest_));
  changed_ = true;
}

Allocation::Event Allocation::mark_applied() {
  ++newest_.event;
  if (changed_) {
    compute(rates_, {shares_.data(), members_});
    if (differs()) enter(newest_);
    if (informed_at_ == kNever && informed()) informed_at_ = newest_;
    changed_ = false;
  }
  forget();
  settle_own();
  return newest_;
}

void Allocation::settle(uint64_t event) {
  settled_ = std::max(settled_, std::min(Event{newest_.epoch, event}, newest_));
  forget();
  settle_own();
}

uint64_t Allocation::greedy_bps(size_t rank) const {
  std::array<MemberRates, wire::kMaxMembers> rates = rates_;
  rates[rank].need_bps = kUnlimitedBps;
  std::array<FilledShare, wire::kMaxMembers> shares;
  compute(rates, {shares.data(), members_});
  return shares[rank].bps;
}

void Allocation::compute(std::span<const MemberRates> rates, std::span<FilledShare> out) const {
  std::array<uint64_t, wire::kMaxMembers> cap;
  std::array<uint64_t, wire::kMaxMembers> room;
  std::array<NodeSet, wire::kMaxMembers> hears;
  for (size_t i = 0; i < members_; ++i) {
    cap[i] = limit(rates[i].line_bps);
    if (constrained(i)) cap[i] = std::min(cap[i], rates[i].need_bps);
    for (size_t j = 0; j < members_; ++j) {
      if (j != i) cap[i] = std::min(cap[i], limit(rates[j].each_bps));
    }
    room[i] = limit(rates[i].room_bps);
    if (room[i] != kUnlimitedBps) room[i] -= std::min(room[i], departed_bps_);
    hears[i] = NodeSet::first(members_);
    hears[i].remove(i);
  }
  fill({{cap.data(), members_}, {room.data(), members_}, {hears.data(), members_}}, out);
}

bool Allocation::constrained(size_t rank) const {
  for (size_t j = 0; j < members_; ++j) {
    if (j != rank && (rates_[j].room_bps != 0 || rates_[j].each_bps != 0)) return true;
  }
  return false;
}

// --- the history of shares -----------------------------------------------------------------------

bool Allocation::differs() const {
  const Entry& last = entry(count_ - 1);
  if (last.own_low != own_share()) return true;
  for (size_t rank = 0; rank < members_; ++rank) {
    if (last.high[rank] != shares_[rank].bps) return true;
  }
  return false;
}

void Allocation::enter(const Event& at) {
  if (count_ == kEvents) fold_oldest();
  Entry& newest = entry(count_++);
  newest.at = at;
  newest.own_low = own_share();
  newest.high.fill(0);
  for (size_t rank = 0; rank < members_; ++rank) newest.high[rank] = shares_[rank].bps;
}

// Lower for this endpoint, and higher for those that may have departed: too little is never sent
// into too full a receiver.
void Allocation::fold_oldest() {
  Entry& oldest = entry(0);
  const Entry& next = entry(1);
  Entry folded = next;
  folded.at = oldest.at;
  folded.own_low = std::min(oldest.own_low, next.own_low);
  for (size_t rank = 0; rank < members_; ++rank)
    folded.high[rank] = std::max(oldest.high[rank], next.high[rank]);
  entry(1) = folded;
  first_ = (first_ + 1) % kEvents;
  --count_;
}

// Entries before the one that was in force at the last settled event, as everybody knows it.
void Allocation::forget() {
  const size_t useless = in_force(std::min(settled_, known_settled_));
  first_ = (first_ + useless) % kEvents;
  count_ -= useless;
}

size_t Allocation::in_force(const Event& at) const {
  size_t found = 0;
  while (found + 1 < count_ && entry(found + 1).at <= at) ++found;
  return found;
}

void Allocation::settle_own() {
  own_bps_ = kUnlimitedBps;
  for (size_t i = in_force(settled_); i < count_; ++i)
    own_bps_ = std::min(own_bps_, entry(i).own_low);
}

uint64_t Allocation::highest(size_t rank) const {
  uint64_t bps = 0;
  for (size_t i = in_force(known_settled_); i < count_; ++i)
    bps = std::max(bps, entry(i).high[rank]);
  return bps;
}

}  // namespace lambdacast::rate_control
