// SPDX-License-Identifier: BSD-3-Clause
#include "group/group_events.h"

#include <utility>

namespace lambdacast::group {

using wire::GroupMessageType;
using State = LocalGroup::State;

void GroupEvents::apply(const Delivery& from, const wire::GroupMessage& message, size_t rank) {
  if (message.type == GroupMessageType::kRegister)
    return on_register(message.name, static_cast<Engine>(message.engine),
                       rank == nodes_.own_rank());
  Group* const group = directory_.known(from.group);
  if (group == nullptr) {
    ++counters_.refused;
    return;
  }
  const EventId at{from.epoch, from.index};
  viewed_ = false;
  apply(*group, message, rank, at);
  settle(*group, at);
}

void GroupEvents::apply(Group& group, const wire::GroupMessage& message, size_t rank,
                        const EventId& at) {
  switch (message.type) {
    case GroupMessageType::kJoin:
      return on_join(group, rank, message.minimum, at);
    case GroupMessageType::kLeave:
      return on_leave(group, rank, at);
    case GroupMessageType::kPiece:
      return on_piece(group, message, at);
    case GroupMessageType::kRefuse:
      return on_refuse(group, rank, message.piece, at);
    case GroupMessageType::kAcquire:
      return locks_.acquire(group, message.lock, rank, at);
    case GroupMessageType::kRelease:
      return locks_.release(group, message.lock, rank);
    default:
      return;
  }
}

void GroupEvents::settle(Group& group, const EventId& at) {
  const bool suspended = group.suspended();
  if (suspended != group.told_suspended && !viewed_) tell(group, {}, {});
  group.told_suspended = suspended;
  locks_.settle(group, at);
}

void GroupEvents::on_register(std::string_view name, Engine engine, bool own) {
  const bool enrolled = directory_.enroll(name, engine) != nullptr;
  if (own) locals_.registered(name, enrolled);
}

// The snapshot is taken before the join is told of: the state that a newcomer gets is without it.
void GroupEvents::on_join(Group& group, size_t rank, uint8_t minimum, const EventId& at) {
  Members& members = group.members;
  if (members.all.contains(rank)) return;
  const bool waits = !members.all.empty();
  if (!waits) directory_.set_minimum(group, minimum);
  members.all.add(rank);
  directory_.change(group, at.index + 1);
  const bool own = rank == nodes_.own_rank();
  LocalGroup* const local = own ? locals_.of(group) : nullptr;
  if (local != nullptr) local->move_to(waits ? State::kWaiting : State::kMember);
  if (waits) {
    members.waiting.add(rank);
    serve(group, NodeSet::of(rank), at);
  }
  if (!own) tell(group, NodeSet::of(rank), {});
  viewed_ = true;
  if (local == nullptr) return;
  if (!waits) local->enter(as_is(group), nodes_);
  if (local->leaves()) locals_.queue(*local);
}

void GroupEvents::on_leave(Group& group, size_t rank, const EventId& at) {
  if (!group.members.all.contains(rank)) return;
  directory_.change(group, at.index + 1);
  group.members.leave(NodeSet::of(rank));
  locks_.leave(group, NodeSet::of(rank));
  transfers_.forget(group.number, NodeSet::of(rank));
  if (rank != nodes_.own_rank()) {
    tell(group, {}, NodeSet::of(rank));
  } else if (LocalGroup* const local = locals_.of(group)) {
    locals_.end(*local, local->end());
  }
  begin_anew_if_orphaned(group);
}

// A piece of an earlier view, or for an earlier membership, is for nobody.
void GroupEvents::on_piece(Group& group, const wire::GroupMessage& message, const EventId& at) {
  const wire::GroupPiece& piece = message.piece;
  const NodeSet whom = transfers_.waiting_for(group.number, piece);
  if (whom.empty()) return;
  if (piece.total > state_bytes_) return remove_newcomers(group, whom, at);
  LocalGroup* const local = whom.contains(nodes_.own_rank()) ? locals_.of(group) : nullptr;
  const bool restores = local != nullptr && take_piece(*local, message);
  if (piece.offset + message.bytes.size() != piece.total) return;
  group.members.ready(whom);
  transfers_.forget(group.number, whom);
  if (restores) {
    ++counters_.states_restored;
    local->restore(nodes_);
  }
  if (!group.members.unserved.empty()) serve(group, group.members.unserved, at);
}

// True: the state is complete. There may be no room beside the states of other groups.
bool GroupEvents::take_piece(LocalGroup& local, const wire::GroupMessage& message) {
  if (local.state() != State::kWaiting) return false;
  const CatchUp::Taken taken = local.take(message.piece, message.bytes);
  if (taken == CatchUp::Taken::kNoRoom) locals_.give_up(local);
  return taken == CatchUp::Taken::kAll;
}

// The speaker was to send the state and has none, so it waits itself.
void GroupEvents::on_refuse(Group& group, size_t rank, const wire::GroupPiece& piece,
                            const EventId& at) {
  Members& members = group.members;
  const NodeSet whom = transfers_.waiting_for(group.number, piece);
  if (whom.empty()) return;
  if (members.all.contains(rank)) {
    members.waiting.add(rank);
    members.unserved.add(rank);
    locks_.leave(group, NodeSet::of(rank));
  }
  serve(group, whom, at);
  begin_anew_if_orphaned(group);
}

void GroupEvents::begin_view() {
  locks_.begin_view();
  directory_.begin_view();
  for (size_t i = 0; i < directory_.size(); ++i) move(directory_.at(i));
}

void GroupEvents::move(Group& group) {
  Members& members = group.members;
  if (members.all.empty()) return;
  NodeSet departed;
  members.all.for_each([&](size_t rank) {
    if (nodes_.now()[rank] == kGone) departed.add(rank);
  });
  members.move(nodes_.now());
  LocalGroup* const local = locals_.of(group);
  if (local != nullptr) local->move(nodes_.now());
  // Members that begin anew here have never been told of those that depart.
  const bool tells = !departed.empty() && local != nullptr && local->state() == State::kMember;
  if (!members.waiting.empty()) serve(group, members.waiting, nodes_.beginning());
  begin_anew_if_orphaned(group);
  if (tells) local->tell_departed(as_is(group), departed, nodes_);
  viewed_ = !departed.empty();
  settle(group, nodes_.beginning());
}

// Those ranks get the state as of this event, from the lowest member that has it. If none has it
// now, they are unserved.
void GroupEvents::serve(Group& group, NodeSet whom, const EventId& as_of) {
  Members& members = group.members;
  LocalGroup* const local = locals_.of(group);
  if (whom.contains(nodes_.own_rank()) && local != nullptr && local->state() == State::kWaiting)
    expect(group, *local, as_of);
  transfers_.forget(group.number, whom);
  const NodeSet holders = members.holders();
  if (holders.empty()) {
    members.unserved |= whom;
    return;
  }
  members.unserved -= whom;
  transfers_.wait(group.number, whom, as_of.index);
  if (holders.lowest() == nodes_.own_rank()) send_state(group, whom, as_of);
}

void GroupEvents::expect(const Group& group, LocalGroup& local, const EventId& as_of) {
  local.expect(as_of, as_is(group));
  locks_.begin_to_wait();
}

void GroupEvents::send_state(const Group& group, NodeSet whom, const EventId& as_of) {
  LocalGroup* const local = locals_.of(group);
  if (local == nullptr || local->state() != State::kMember)
    return transfers_.refuse(group.number, as_of, whom);  // it gave up
  std::vector<uint8_t> state;
  local->snapshot(state);
  transfers_.send(group.number, as_of, whom, std::move(state));
  ++counters_.states_sent;
}

// The state is more than any member takes, as all see.
void GroupEvents::remove_newcomers(Group& group, NodeSet ranks, const EventId& at) {
  directory_.change(group, at.index + 1);
  group.members.leave(ranks);
  transfers_.forget(group.number, ranks);
  LocalGroup* const local = locals_.of(group);
  if (local != nullptr && ranks.contains(nodes_.own_rank())) {
    locals_.end(*local, End::kStateTooLarge);
  } else {
    tell(group, {}, ranks);
  }
  begin_anew_if_orphaned(group);
}

void GroupEvents::begin_anew_if_orphaned(Group& group) {
  if (!group.members.orphaned()) return;
  group.members.begin_anew();
  viewed_ = true;
  LocalGroup* const local = locals_.of(group);
  if (local == nullptr || local->state() != State::kWaiting) return;
  ++counters_.states_lost;
  local->begin_anew(as_is(group), nodes_);
}

void GroupEvents::tell(const Group& group, NodeSet joined, NodeSet departed) {
  viewed_ = true;
  LocalGroup* const local = locals_.of(group);
  Change change = as_is(group);
  change.joined = joined;
  change.departed = departed;
  if (local != nullptr && !local->change(change, nodes_)) locals_.give_up(*local);
}

}  // namespace lambdacast::group
