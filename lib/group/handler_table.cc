// SPDX-License-Identifier: BSD-3-Clause
#include "group/handler_table.h"

#include "base/bytes.h"

namespace lambdacast::group {
namespace {

using What = LockChange::What;

constexpr size_t kSavedHeadBytes = HandlerTable::kMostSavedBytes - wire::kMaxMembers;

bool drop_from_queue(Lock& lock, size_t rank) {
  const auto queued = lock.queue.begin() + lock.queued;
  const auto end = std::remove(lock.queue.begin(), queued, static_cast<uint8_t>(rank));
  lock.queued = static_cast<uint8_t>(end - lock.queue.begin());
  return end != queued;
}

void put_first(Lock& lock, size_t rank) {
  drop_from_queue(lock, rank);
  std::copy_backward(lock.queue.begin(), lock.queue.begin() + lock.queued,
                     lock.queue.begin() + lock.queued + 1);
  lock.queue[0] = static_cast<uint8_t>(rank);
  ++lock.queued;
}

LockChange said(What what, const Lock& lock) {
  return {what, lock.holder, lock.handler, lock.token};
}

}  // namespace

HandlerTable::HandlerTable(size_t expected) {
  order_.reserve(expected);
  locks_.reserve(expected);
  free_.reserve(expected);
}

void HandlerTable::clear() {
  order_.clear();
  locks_.clear();
  free_.clear();
  vacant_ = 0;
}

size_t HandlerTable::at_or_behind(uint64_t key) const {
  const auto found = std::lower_bound(order_.begin(), order_.end(), key,
                                      [](const Entry& entry, uint64_t k) { return entry.key < k; });
  return static_cast<size_t>(found - order_.begin());
}

const Lock* HandlerTable::find(uint32_t group, uint32_t handler) const {
  const uint64_t key = key_of(group, handler);
  const size_t at = at_or_behind(key);
  return at != order_.size() && order_[at].key == key ? &locks_[order_[at].lock] : nullptr;
}

HandlerTable::Entry* HandlerTable::known(uint32_t group, uint32_t handler) {
  const uint64_t key = key_of(group, handler);
  const size_t at = at_or_behind(key);
  return at != order_.size() && order_[at].key == key ? &order_[at] : nullptr;
}

// Without a holder so far.
HandlerTable::Entry& HandlerTable::add(uint32_t group, uint32_t handler) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(locks_.size()));
    locks_.emplace_back();
  }
  const uint32_t place = free_.back();
  free_.pop_back();
  locks_[place] = {};
  locks_[place].group = group;
  locks_[place].handler = handler;
  ++vacant_;
  const uint64_t key = key_of(group, handler);
  return *order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(at_or_behind(key)),
                        {key, place, true});
}

void HandlerTable::vacate(Entry& entry) {
  lock_of(entry).holder = kGone;
  lock_of(entry).untold = true;
  entry.vacant = true;
  ++vacant_;
}

void HandlerTable::grant(Entry& entry, size_t rank, const GrantPlace& token) {
  lock_of(entry).holder = static_cast<uint8_t>(rank);
  lock_of(entry).token = token;
  entry.vacant = false;
  --vacant_;
}

LockChange HandlerTable::acquire(uint32_t group, const wire::GroupLock& asked, size_t rank,
                                 const GrantPlace& at, bool suspended) {
  Entry* entry = known(group, asked.handler);
  if (entry != nullptr && lock_of(*entry).holder == rank)
    return said(What::kGranted, lock_of(*entry));
  const bool free = entry == nullptr && !suspended;
  if (asked.only_if_free && !free) {
    return entry == nullptr ? LockChange{What::kRefused, kGone, asked.handler, {}}
                            : said(What::kRefused, lock_of(*entry));
  }
  if (entry == nullptr) entry = &add(group, asked.handler);
  Lock& lock = lock_of(*entry);
  if (free) {
    grant(*entry, rank, at);
    return said(What::kGranted, lock);
  }
  const auto waiting = lock.waiting();
  if (std::find(waiting.begin(), waiting.end(), rank) == waiting.end())
    lock.queue[lock.queued++] = static_cast<uint8_t>(rank);
  return said(What::kQueued, lock);
}

bool HandlerTable::release(uint32_t group, const wire::GroupLock& given, size_t rank, size_t heir) {
  Entry* const entry = known(group, given.handler);
  if (entry == nullptr) return false;
  Lock& lock = lock_of(*entry);
  if (given.token == GrantPlace{}) return drop_from_queue(lock, rank);
  if (lock.holder != rank || lock.token != given.token) return false;
  vacate(*entry);
  if (heir < wire::kMaxMembers) put_first(lock, heir);
  return true;
}

void HandlerTable::leave(uint32_t group, NodeSet ranks) {
  for (size_t i = first_of(group); i < order_.size() && order_[i].group() == group; ++i) {
    Lock& lock = lock_of(order_[i]);
    ranks.for_each([&](size_t rank) { drop_from_queue(lock, rank); });
    if (lock.held() && ranks.contains(lock.holder)) vacate(order_[i]);
  }
}

void HandlerTable::move(std::span<const uint8_t> now) {
  for (Entry& entry : order_) {
    Lock& lock = lock_of(entry);
    size_t stay = 0;
    for (const uint8_t rank : lock.waiting()) {
      if (now[rank] != kGone) lock.queue[stay++] = now[rank];
    }
    lock.queued = static_cast<uint8_t>(stay);
    if (!lock.held()) continue;
    lock.holder = now[lock.holder];
    if (!lock.held()) vacate(entry);
  }
}

bool HandlerTable::pass_on(Entry& entry, const GrantPlace& at, bool suspended,
                           std::vector<LockChange>& out) {
  Lock& lock = lock_of(entry);
  const bool untold = lock.untold;
  lock.untold = false;
  if (lock.queued != 0 && !suspended) {
    grant(entry, lock.queue[0], at);
    drop_from_queue(lock, lock.holder);
    out.push_back(said(What::kMoved, lock));
  } else if (untold) {
    out.push_back({What::kFreed, kGone, lock.handler, lock.token});
  }
  return !lock.held() && lock.queued == 0;
}

void HandlerTable::settle(uint32_t group, const GrantPlace& at, bool suspended,
                          std::vector<LockChange>& out) {
  if (vacant_ == 0) return;
  const size_t first = first_of(group);
  size_t to = first;
  size_t from = first;
  for (; from < order_.size() && order_[from].group() == group; ++from) {
    Entry& entry = order_[from];
    if (entry.vacant && pass_on(entry, at, suspended, out)) {
      free_.push_back(entry.lock);
      --vacant_;
    } else {
      order_[to++] = entry;
    }
  }
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(to),
               order_.begin() + static_cast<std::ptrdiff_t>(from));
}

// | group 4 | handler 4 | epoch 8 | place 8 | holder 1 | waiting 1 | their ranks |
void HandlerTable::save(const Lock& lock, std::vector<uint8_t>& out) {
  const size_t at = out.size();
  out.resize(at + kSavedHeadBytes + lock.queued);
  uint8_t* const to = out.data() + at;
  base::store_be32(to, lock.group);
  base::store_be32(to + 4, lock.handler);
  base::store_be64(to + 8, lock.token.epoch);
  base::store_be64(to + 16, lock.token.place);
  to[24] = lock.holder;
  to[25] = lock.queued;
  std::copy_n(lock.queue.begin(), lock.queued, to + kSavedHeadBytes);
}

bool HandlerTable::load(std::span<const uint8_t>& in, size_t ranks) {
  if (in.size() < kSavedHeadBytes) return false;
  const uint32_t group = base::load_be32(in.data());
  const uint32_t handler = base::load_be32(in.data() + 4);
  const GrantPlace token{base::load_be64(in.data() + 8), base::load_be64(in.data() + 16)};
  const uint8_t holder = in[24];
  const size_t queued = in[25];
  in = in.subspan(kSavedHeadBytes);
  if (queued > in.size() || (holder >= ranks && holder != kGone)) return false;
  NodeSet known = holder == kGone ? NodeSet{} : NodeSet::of(holder);
  for (const uint8_t rank : in.first(queued)) {
    if (rank >= ranks || known.contains(rank)) return false;
    known.add(rank);
  }
  if (known.empty() || find(group, handler) != nullptr) return false;
  Entry& entry = add(group, handler);
  Lock& lock = lock_of(entry);
  lock.token = token;
  if (holder != kGone) grant(entry, holder, token);
  lock.queued = static_cast<uint8_t>(queued);
  std::copy_n(in.begin(), queued, lock.queue.begin());
  in = in.subspan(queued);
  return true;
}

}  // namespace lambdacast::group
