// A new view of the nodes: whoever is not in it is out of its groups, and whoever is new in it is
// told of all groups, as of the view's beginning.
//
// Ranks are by seniority, so whoever is informed comes before whoever is not: the first member
// tells the others. If it is not informed itself, nobody is (who was to tell has departed), and it
// tells them that the groups begin anew.
#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "group/group_layer.h"

namespace lambdacast::group {

using wire::GroupMessageType;

void GroupLayer::view(uint64_t epoch, std::span<const wire::StreamName> members, size_t stayed) {
  if (over_) return;
  before_.swap(nodes_);
  nodes_.assign(members.begin(), members.end());
  epoch_ = epoch;
  own_rank_ = rank_of(config_.self);
  outgoing_.clear();
  waits_.clear();
  if (before_.empty() && stayed == 0) {
    informed_ = true;
    informed_nodes_ = nodes_.size();
    return;
  }
  if (!informed_) return begin_uninformed();
  std::array<uint8_t, wire::kMaxMembers> now;
  for (size_t rank = 0; rank < before_.size(); ++rank) {
    const size_t found = rank_of(before_[rank]);
    now[rank] = found == nodes_.size() ? kGone : static_cast<uint8_t>(found);
  }
  for (size_t i = 0; i < directory_.size(); ++i) move_group(directory_.at(i), now);
  move_nodes(now);
}

void GroupLayer::move_group(Group& group, std::span<const uint8_t> now) {
  Members& members = group.members;
  if (members.all.empty()) return;
  NodeSet departed;
  members.all.for_each([&](size_t rank) {
    if (now[rank] == kGone) departed.add(rank);
  });
  members.move(now);
  Local* const local = local_of(group);
  // Whoever begins anew here has never been told of those who depart.
  const bool tells = !departed.empty() && local != nullptr && local->state == Local::State::kMember;
  if (!members.waiting.empty()) serve(group, members.waiting, view_event());
  begin_anew_if_orphaned(group);
  if (tells) {
    std::array<wire::StreamName, wire::kMaxMembers> stay, gone;
    local->handlers->view({local->number,
                           local->name,
                           epoch_,
                           names_of(members.all, nodes_, stay),
                           {},
                           names_of(departed, before_, gone)});
  }
}

void GroupLayer::move_nodes(std::span<const uint8_t> now) {
  informed_nodes_ = static_cast<size_t>(
      std::count_if(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(informed_nodes_),
                    [](uint8_t rank) { return rank != kGone; }));
  if (informed_nodes_ < nodes_.size() && own_rank_ == 0) tell_directory();
}

void GroupLayer::tell_directory() {
  std::vector<uint8_t> state;
  directory_.save(state, nodes_.size());
  outgoing_.emplace_back(wire::kDirectoryGroup, view_event(), NodeSet::first(nodes_.size()),
                         wire::rank_words(nodes_.size()), std::move(state));
}

void GroupLayer::begin_uninformed() {
  informed_ = false;
  incoming_.expect(view_event());
  queue_.clear();
  if (own_rank_ != 0) return;
  ++counters_.states_lost;
  directory_.clear();
  routes_.clear();
  tell_directory();
}

void GroupLayer::directory_message(size_t rank, const Delivery& from,
                                   const wire::GroupMessage& message,
                                   std::span<const uint8_t> payload) {
  if (message.type == GroupMessageType::kPiece) {
    on_directory_piece(message);
  } else if (message.type != GroupMessageType::kRegister) {
    ++counters_.refused;
  } else if (informed_) {
    apply(from, message, rank);
  } else {
    keep_until_informed(from, payload);
  }
}

void GroupLayer::on_directory_piece(const wire::GroupMessage& message) {
  const wire::GroupPiece& piece = message.piece;
  if (piece.epoch != epoch_) return;
  if (piece.total > config_.state_bytes) {
    ++counters_.refused;
    return;
  }
  if (!informed_ && incoming_.take(piece, message.bytes)) {
    if (load_directory()) return inform();
    ++counters_.refused;  // the next view brings another
    return incoming_.expect({});
  }
  if (informed_ && piece.offset + message.bytes.size() == piece.total)
    informed_nodes_ = nodes_.size();
}

bool GroupLayer::load_directory() {
  routes_.clear();
  if (!directory_.load(incoming_.state(), nodes_.size())) return false;
  for (size_t i = 0; i < directory_.size(); ++i) {
    const Group& group = directory_.at(i);
    (group.members.waiting - group.members.unserved).for_each([&](size_t rank) {
      waits_.push_back({group.number, static_cast<uint32_t>(rank), wire::kViewIndex});
    });
  }
  return true;
}

void GroupLayer::keep_until_informed(const Delivery& from, std::span<const uint8_t> payload) {
  if (Kept::bytes_of(payload) > config_.queue_bytes - queue_.bytes()) {
    ++counters_.refused;
    return incoming_.expect({});  // until the next view
  }
  queue_.keep(from, payload);
}

void GroupLayer::inform() {
  informed_ = true;
  informed_nodes_ = nodes_.size();
  incoming_.forget();
  const Kept queue = std::exchange(queue_, {});
  queue.replay(
      [&](const Delivery& from, std::span<const uint8_t> payload) { group_message(from, payload); },
      [](const Change&) {});
}

}  // namespace lambdacast::group
