// SPDX-License-Identifier: BSD-3-Clause
// Applies the order's events to the groups: to their members, to the members that wait for state,
// and to those that send it. Every endpoint that knows the directory applies them alike; only the
// calls of its own handlers differ.
//
//   join    -> the first member has nothing to wait for; a later one gets the state as of its join
//              from the lowest member that has it, or, if all wait, from the first that will have
//              it: until then it is unserved
//   piece   -> with the last one those that waited for the state have it, and serve the unserved
//   refusal -> the next member that has the state sends it, as of the refusal
//   leave, view -> members depart; what they were sending is sent anew by the next
//   nobody with state is left -> all members begin from nothing
//
// Locks are applied by Locks, behind the members: an event changes these first.
//
// Holds no state of its own but counters. Not thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "group/directory.h"
#include "group/local_groups.h"
#include "group/locks.h"
#include "group/node_view.h"
#include "group/state_transfers.h"
#include "wire/control/group_message.h"

namespace lambdacast::group {

struct GroupCounters {
  uint64_t states_sent = 0;
  uint64_t states_restored = 0;
  uint64_t states_lost = 0;
  uint64_t refused = 0;  // messages of the group layer that make no sense
};

class GroupEvents {
 public:
  // A state of more than `state_bytes` is too large for any member. The others are the owner's, and
  // live as long.
  GroupEvents(size_t state_bytes, const NodeView& nodes, Directory& directory, LocalGroups& locals,
              Locks& locks, StateTransfers& transfers, GroupCounters& counters)
      : state_bytes_(state_bytes),
        nodes_(nodes),
        directory_(directory),
        locals_(locals),
        locks_(locks),
        transfers_(transfers),
        counters_(counters) {}

  // A message in its place; the directory is known. `rank`: the speaker's.
  void apply(const Delivery& from, const wire::GroupMessage& message, size_t rank);
  // A new view of the nodes, in the directory's groups; `transfers` have begun it.
  void begin_view();

 private:
  void on_register(std::string_view name, Engine engine, bool own);
  void apply(Group& group, const wire::GroupMessage& message, size_t rank, const EventId& at);
  void on_join(Group& group, size_t rank, uint8_t minimum, const EventId& at);
  void on_leave(Group& group, size_t rank, const EventId& at);
  void on_piece(Group& group, const wire::GroupMessage& message, const EventId& at);
  void on_refuse(Group& group, size_t rank, const wire::GroupPiece& piece, const EventId& at);
  void move(Group& group);
  // Behind an event: is the group suspended now, and who has its locks?
  void settle(Group& group, const EventId& at);

  void serve(Group& group, NodeSet whom, const EventId& as_of);
  void expect(const Group& group, LocalGroup& local, const EventId& as_of);
  void send_state(const Group& group, NodeSet whom, const EventId& as_of);
  [[nodiscard]] bool take_piece(LocalGroup& local, const wire::GroupMessage& message);
  void remove_newcomers(Group& group, NodeSet ranks, const EventId& at);
  void begin_anew_if_orphaned(Group& group);
  // The group as it is, with nobody joined and nobody departed.
  [[nodiscard]] Change as_is(const Group& group) const {
    return {group.members.all, {}, {}, group.suspended(), directory_.last_change(group)};
  }
  void tell(const Group& group, NodeSet joined, NodeSet departed);

  const size_t state_bytes_;
  const NodeView& nodes_;
  Directory& directory_;
  LocalGroups& locals_;
  Locks& locks_;
  StateTransfers& transfers_;
  GroupCounters& counters_;
  bool viewed_ = false;  // this event has made a view of its group
};

}  // namespace lambdacast::group
