// SPDX-License-Identifier: BSD-3-Clause
// Applies the order's events to the locks of groups, and tells this endpoint's handlers what has
// become of them. Every endpoint that knows the directory applies them alike.
//
//   acquire          -> granted, queued or refused; who has no state is refused
//   release          -> the lock goes to the heir, or to who waits longest
//   departure        -> the same; the departed wait for nothing
//   the group goes on that was suspended -> its locks go to who waits longest
//
// Each of these has its effect in two steps: the event changes the table, and settle() passes locks
// on when the group's members are those behind the event. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "group/directory.h"
#include "group/event_id.h"
#include "group/handler_table.h"
#include "group/local_groups.h"
#include "group/node_view.h"

namespace lambdacast::group {

struct LockCounters {
  uint64_t granted = 0;        // to who asked
  uint64_t moved = 0;          // to who waited, or to an heir
  uint64_t moved_by_view = 0;  // of them, because a view began without the holder
  uint64_t queued = 0;
  uint64_t refused = 0;
  uint64_t void_releases = 0;  // by another token than the holder's
};

class Locks {
 public:
  // `expected` locks at a time take no further memory. The others are the owner's, and live as
  // long.
  Locks(size_t expected, const NodeView& nodes, LocalGroups& locals)
      : nodes_(nodes), locals_(locals), table_(expected) {
    changes_.reserve(expected);
  }

  void acquire(const Group& group, const wire::GroupLock& asked, size_t rank, const EventId& at);
  void release(const Group& group, const wire::GroupLock& given, size_t rank);
  // These ranks are members with state no longer.
  void leave(const Group& group, NodeSet ranks) { table_.leave(group.number, ranks); }
  // A new view of the nodes has begun.
  void begin_view() { table_.move(nodes_.now()); }
  void settle(const Group& group, const EventId& at);

  // In this event this endpoint has begun to wait for its state: settle() tells it who holds which
  // locks, and not what has become of them.
  void begin_to_wait() { begins_ = true; }

  void clear() { table_.clear(); }
  [[nodiscard]] HandlerTable& table() { return table_; }
  [[nodiscard]] const HandlerTable& table() const { return table_; }
  [[nodiscard]] const LockCounters& counters() const { return counters_; }

 private:
  void tell(const Group& group, const LockChange& change);
  void tell_held(const Group& group);

  const NodeView& nodes_;
  LocalGroups& locals_;
  HandlerTable table_;
  LockCounters counters_;
  std::vector<LockChange> changes_;
  bool begins_ = false;
};

}  // namespace lambdacast::group
