// State for who joins a group: who has it sends it as of the event at which it is asked for; who
// waits keeps what comes behind that event, restores, and catches up.
#include <utility>

#include "group/group_layer.h"

namespace lambdacast::group {

// Those who wait get the state as of this event, from the lowest member that has it; if there is
// none now, from the first that has.
void GroupLayer::serve(Group& group, NodeSet whom, const EventId& as_of) {
  Members& members = group.members;
  Local* const local = local_of(group);
  if (whom.contains(own_rank_) && local != nullptr && local->state == Local::State::kWaiting) {
    forget_wait(*local);
    local->members_then = members.all;
    local->incoming.expect(as_of);
  }
  forget_waits(group.number, whom);
  if (members.holders().empty()) {
    members.unserved |= whom;
    return;
  }
  members.unserved -= whom;
  whom.for_each([&](size_t rank) {
    waits_.push_back({group.number, static_cast<uint32_t>(rank), as_of.index});
  });
  if (members.holders().lowest() == own_rank_) send_state(group, whom, as_of);
}

void GroupLayer::send_state(const Group& group, NodeSet whom, const EventId& as_of) {
  Local* const local = local_of(group);
  if (local == nullptr || local->state != Local::State::kMember) {
    outgoing_.emplace_back(group.number, as_of, whom,
                           wire::rank_words(nodes_.size()));  // it gave up
    return;
  }
  std::vector<uint8_t> state;
  local->handlers->snapshot(state);
  outgoing_.emplace_back(group.number, as_of, whom, wire::rank_words(nodes_.size()),
                         std::move(state));
  ++counters_.states_sent;
}

NodeSet GroupLayer::waits_for(const Group& group, const wire::GroupPiece& piece) const {
  NodeSet whom;
  if (piece.epoch != epoch_) return whom;
  for (const Wait& wait : waits_) {
    if (wait.group == group.number && wait.index == piece.index) whom.add(wait.rank);
  }
  return whom & piece.whom;
}

void GroupLayer::forget_waits(uint32_t group, NodeSet ranks) {
  std::erase_if(waits_,
                [&](const Wait& wait) { return wait.group == group && ranks.contains(wait.rank); });
  std::erase_if(outgoing_, [&](OutgoingState& state) {
    return state.group() == group && state.forget(ranks);
  });
}

void GroupLayer::forget_wait(Local& local) {
  waiting_bytes_ -= local.kept.bytes() + local.incoming.state().size();
  local.kept.clear();
  local.incoming.forget();
}

// One that was sent in an earlier view, or to an earlier membership, is nobody's.
void GroupLayer::on_piece(Group& group, const wire::GroupMessage& message, const EventId& at) {
  const wire::GroupPiece& piece = message.piece;
  Members& members = group.members;
  const NodeSet whom = waits_for(group, piece);
  if (whom.empty()) return;
  if (piece.total > config_.state_bytes) return refuse_newcomers(group, whom);
  Local* const local = whom.contains(own_rank_) ? local_of(group) : nullptr;
  bool restores = false;
  if (local != nullptr && local->state == Local::State::kWaiting) {
    const size_t before = local->incoming.state().size();
    if (piece.total - before > waiting_room()) {
      give_up(*local);  // with the states of other groups it would be too much
    } else {
      restores = local->incoming.take(piece, message.bytes);
      waiting_bytes_ += local->incoming.state().size() - before;
    }
  }
  if (piece.offset + message.bytes.size() != piece.total) return;
  members.ready(whom);
  forget_waits(group.number, whom);
  if (restores) restore(*local);
  if (!members.unserved.empty()) serve(group, members.unserved, at);
}

// Who was to send the state has none.
void GroupLayer::on_refuse(Group& group, size_t rank, const wire::GroupPiece& piece,
                           const EventId& at) {
  Members& members = group.members;
  const NodeSet whom = waits_for(group, piece);
  if (whom.empty()) return;
  if (members.all.contains(rank)) {
    members.waiting.add(rank);
    members.unserved.add(rank);
  }
  serve(group, whom, at);
  begin_anew_if_orphaned(group);
}

// All see that the state is more than anybody takes.
void GroupLayer::refuse_newcomers(Group& group, NodeSet ranks) {
  group.members.leave(ranks);
  forget_waits(group.number, ranks);
  Local* const local = local_of(group);
  if (local != nullptr && ranks.contains(own_rank_)) {
    end(*local, End::kStateTooLarge);
  } else {
    tell(group, {group.members.all, {}, ranks});
  }
  begin_anew_if_orphaned(group);
}

// Its calls may leave the group, but that takes effect behind them.
void GroupLayer::restore(Local& local) {
  ++counters_.states_restored;
  const Kept kept = std::exchange(local.kept, {});
  waiting_bytes_ -= kept.bytes();
  local.handlers->restore(local.incoming.state());
  forget_wait(local);
  local.state = Local::State::kMember;
  tell_now(local, {local.members_then, NodeSet::of(own_rank_), {}});
  kept.replay(
      [&](Delivery delivery, std::span<const uint8_t> message) {
        delivery.name = local.name;
        local.handlers->delivered(delivery, message);
      },
      [&](const Change& change) { tell_now(local, change); });
}

void GroupLayer::keep(Local& local, const Delivery& delivery, std::span<const uint8_t> message) {
  if (Kept::bytes_of(message) > waiting_room()) return give_up(local);
  const size_t before = local.kept.bytes();
  local.kept.keep(delivery, message);
  waiting_bytes_ += local.kept.bytes() - before;
}

// Out again, without ever having been in.
void GroupLayer::give_up(Local& local) {
  forget_wait(local);
  local.state = Local::State::kLeaving;
  local.end = End::kStateTooLarge;
  local.leave = true;
  queue(local);
}

}  // namespace lambdacast::group
