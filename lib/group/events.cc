// What the group layer's messages change: the same at every endpoint that is informed.
#include <algorithm>

#include "group/group_layer.h"

namespace lambdacast::group {

using wire::GroupMessageType;

void GroupLayer::apply(const Delivery& from, const wire::GroupMessage& message, size_t rank) {
  if (message.type == GroupMessageType::kRegister)
    return on_register(message.name, rank == own_rank_);
  Group* const group = directory_.known(from.group);
  if (group == nullptr) {
    ++counters_.refused;
    return;
  }
  const EventId at{from.epoch, from.index};
  switch (message.type) {
    case GroupMessageType::kJoin:
      return on_join(*group, rank, at);
    case GroupMessageType::kLeave:
      return on_leave(*group, rank);
    case GroupMessageType::kPiece:
      return on_piece(*group, message, at);
    case GroupMessageType::kRefuse:
      return on_refuse(*group, rank, message.piece, at);
    default:
      return;
  }
}

void GroupLayer::on_register(std::string_view name, bool own) {
  const Group* const group = directory_.enroll(name);
  if (!own || registering_.empty() || registering_.front()->name != name) return;
  Local& local = *registering_.front();
  registering_.pop_front();
  if (group == nullptr) return end(local, End::kDirectoryFull);
  local.state = Local::State::kAsked;
  queue(local);
}

// The state that a newcomer gets is that before its join is told of.
void GroupLayer::on_join(Group& group, size_t rank, const EventId& at) {
  Members& members = group.members;
  if (members.all.contains(rank)) return;
  const bool waits = !members.all.empty();
  members.all.add(rank);
  Local* const local = rank == own_rank_ ? local_of(group) : nullptr;
  if (local != nullptr && waits) local->state = Local::State::kWaiting;
  if (local != nullptr && !waits) local->state = Local::State::kMember;
  if (waits) {
    members.waiting.add(rank);
    serve(group, NodeSet::of(rank), at);
  }
  if (rank != own_rank_) tell(group, {members.all, NodeSet::of(rank), {}});
  if (local == nullptr) return;
  if (!waits) tell_now(*local, {members.all, NodeSet::of(rank), {}});
  if (local->leave) queue(*local);
}

void GroupLayer::on_leave(Group& group, size_t rank) {
  if (!group.members.all.contains(rank)) return;
  group.members.leave(NodeSet::of(rank));
  forget_waits(group.number, NodeSet::of(rank));
  if (rank != own_rank_) {
    tell(group, {group.members.all, {}, NodeSet::of(rank)});
  } else if (Local* const local = local_of(group)) {
    end(*local, local->end);
  }
  begin_anew_if_orphaned(group);
}

void GroupLayer::begin_anew_if_orphaned(Group& group) {
  if (!group.members.orphaned()) return;
  group.members.begin_anew();
  Local* const local = local_of(group);
  if (local == nullptr || local->state != Local::State::kWaiting) return;
  ++counters_.states_lost;
  forget_wait(*local);
  local->state = Local::State::kMember;
  local->handlers->state_lost();
  tell_now(*local, {group.members.all, NodeSet::of(own_rank_), {}});
}

void GroupLayer::tell(const Group& group, const Change& change) {
  Local* const local = local_of(group);
  if (local == nullptr) return;
  if (local->state == Local::State::kMember) return tell_now(*local, change);
  if (local->state != Local::State::kWaiting) return;
  if (Kept::bytes_of(change) > waiting_room()) return give_up(*local);
  const size_t before = local->kept.bytes();
  local->kept.keep(change);
  waiting_bytes_ += local->kept.bytes() - before;
}

void GroupLayer::tell_now(Local& local, const Change& change) {
  std::array<wire::StreamName, wire::kMaxMembers> members, joined, departed;
  local.handlers->view({local.number, local.name, epoch_, names_of(change.members, nodes_, members),
                        names_of(change.joined, nodes_, joined),
                        names_of(change.departed, nodes_, departed)});
}

std::span<const wire::StreamName> GroupLayer::names_of(
    NodeSet set, std::span<const wire::StreamName> nodes,
    std::array<wire::StreamName, wire::kMaxMembers>& out) const {
  size_t count = 0;
  set.for_each([&](size_t rank) { out[count++] = nodes[rank]; });
  return std::span(out).first(count);
}

}  // namespace lambdacast::group
