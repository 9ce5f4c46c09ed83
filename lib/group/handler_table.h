// SPDX-License-Identifier: BSD-3-Clause
// The locks of all groups (RMP 1996, 2): who holds which, by what grant, and who waits for it. A
// handler is a number in a group. At most one member of the group holds its lock at any place of
// the group's order.
//
// It knows ranks and places, and neither members nor messages. Equal at all nodes after the same
// events of a group, so nothing here may depend on a setting, or on the locks of other groups:
// these are in domains of their own, which each node takes at its own pace. A free lock has no
// record. Its next grant is newer all the same, because places rise.
//
// Not thread-safe. Allocates if more locks are held than it has been told to expect.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "group/members.h"
#include "wire/control/group_message.h"

namespace lambdacast::group {

using wire::GrantPlace;

struct Lock {  // 112 bytes
  uint32_t group = 0;
  uint32_t handler = 0;
  GrantPlace token;        // of the holder
  uint8_t holder = kGone;  // rank; kGone: it waits for its group to go on
  uint8_t queued = 0;
  bool untold = false;                           // it has lost its holder in this event
  std::array<uint8_t, wire::kMaxMembers> queue;  // ranks: the first one waits longest

  [[nodiscard]] bool held() const { return holder != kGone; }
  [[nodiscard]] std::span<const uint8_t> waiting() const { return std::span(queue).first(queued); }
};

// The effect of an event on a lock.
struct LockChange {
  enum class What : uint8_t { kGranted, kMoved, kFreed, kQueued, kRefused };
  What what = What::kGranted;
  uint8_t holder = kGone;  // rank; kGone: nobody
  uint32_t handler = 0;
  GrantPlace token;  // of the holder
  bool operator==(const LockChange&) const = default;
};

class HandlerTable {
 public:
  explicit HandlerTable(size_t expected);

  void clear();
  [[nodiscard]] size_t size() const { return order_.size(); }
  // Null: it is free.
  [[nodiscard]] const Lock* find(uint32_t group, uint32_t handler) const;
  // All locks by group and handler, or those of one group by handler.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const Entry& entry : order_) visit(locks_[entry.lock]);
  }
  template <typename Visit>
  void for_each_of(uint32_t group, Visit&& visit) const {
    for (size_t i = first_of(group); i < order_.size() && order_[i].group() == group; ++i)
      visit(locks_[order_[i].lock]);
  }

  // A member with state asks for the lock at that place. In a suspended group nobody gets one, so
  // it waits. kGranted with an older token than `at`: it has the lock already.
  LockChange acquire(uint32_t group, const wire::GroupLock& asked, size_t rank,
                     const GrantPlace& at, bool suspended);
  // The holder with that token gives the lock back, to `heir` if that is a rank. With a token of
  // zeros `rank` waits no longer. False: it neither held the lock by that token nor waited for it.
  // settle() says who has it then.
  [[nodiscard]] bool release(uint32_t group, const wire::GroupLock& given, size_t rank,
                             size_t heir);
  // These ranks have left the group, or have lost its state. They wait for nothing, and what they
  // held has no holder.
  void leave(uint32_t group, NodeSet ranks);
  // The same in all groups of ranks that are not in a new view; the others have other ranks.
  void move(std::span<const uint8_t> now);
  // Gives the group's locks without a holder to who waits longest, unless the group is suspended,
  // and frees those that nobody waits for. Appends what has become of each, by handler.
  void settle(uint32_t group, const GrantPlace& at, bool suspended, std::vector<LockChange>& out);

  // Appends a record of that lock, with ranks of one byte.
  static void save(const Lock& lock, std::vector<uint8_t>& out);
  static constexpr size_t kMostSavedBytes = 26 + wire::kMaxMembers;
  // Takes a record off `in`. False: it is none of a view of `ranks` members, or its lock is known.
  [[nodiscard]] bool load(std::span<const uint8_t>& in, size_t ranks);

 private:
  struct Entry {
    uint64_t key = 0;     // group, then handler
    uint32_t lock = 0;    // in locks_
    bool vacant = false;  // without a holder: settle() need not look at the others
    [[nodiscard]] uint32_t group() const { return static_cast<uint32_t>(key >> 32); }
  };
  [[nodiscard]] static uint64_t key_of(uint32_t group, uint32_t handler) {
    return uint64_t{group} << 32 | handler;
  }
  [[nodiscard]] size_t at_or_behind(uint64_t key) const;
  [[nodiscard]] size_t first_of(uint32_t group) const { return at_or_behind(key_of(group, 0)); }
  // Null: the lock is free.
  [[nodiscard]] Entry* known(uint32_t group, uint32_t handler);
  [[nodiscard]] Lock& lock_of(const Entry& entry) { return locks_[entry.lock]; }
  Entry& add(uint32_t group, uint32_t handler);
  void vacate(Entry& entry);
  void grant(Entry& entry, size_t rank, const GrantPlace& token);
  // True: the record is to go.
  [[nodiscard]] bool pass_on(Entry& entry, const GrantPlace& at, bool suspended,
                             std::vector<LockChange>& out);

  std::vector<Entry> order_;  // by key
  size_t vacant_ = 0;         // of them
  std::vector<Lock> locks_;
  std::vector<uint32_t> free_;  // of locks_
};

}  // namespace lambdacast::group
