#include "group/group_layer.h"

#include <algorithm>
#include <utility>

namespace lambdacast::group {

using wire::GroupMessageType;
using wire::Qos;

namespace {

constexpr size_t kPiecesAPoll = 8;  // other messages go out between them
// A snapshot rests on the place of an event of the group: nobody may come to find it elsewhere.
constexpr Qos kGroupQos = Qos::kTotallyResilient;

}  // namespace

GroupLayer::GroupLayer(const GroupConfig& config, Carrier& carrier)
    : config_(config),
      carrier_(carrier),
      directory_(config.names),
      routes_(config.names),
      completions_(config.completions),
      payload_(config.packet_bytes) {
  nodes_.reserve(wire::kMaxMembers);
  before_.reserve(wire::kMaxMembers);
}

Result GroupLayer::join(std::string_view name, Handlers& handlers) {
  if (!wire::valid_group_name(name)) return Result::kBadName;
  if (over_) return Result::kNotInView;
  if (by_name_.contains(name)) return Result::kAlreadyJoined;
  if (free_locals_.empty()) {
    free_locals_.push_back(static_cast<uint32_t>(locals_.size()));
    locals_.push_back(std::make_unique<Local>());
    locals_.back()->self = free_locals_.back();
  }
  Local& local = *locals_[free_locals_.back()];
  free_locals_.pop_back();
  local.name = name;
  local.handlers = &handlers;
  by_name_.emplace(local.name, &local);
  queue(local);
  return Result::kOk;
}

Result GroupLayer::leave(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return Result::kNotJoined;
  Local& local = *found->second;
  if (local.state == Local::State::kAsked) {
    end(local, End::kLeft);
  } else if (!local.leave) {
    local.leave = true;
    queue(local);
  }
  return Result::kOk;
}

Result GroupLayer::publish(std::string_view name, std::span<const uint8_t> message, Qos qos,
                           Completion* completion, uint64_t token) {
  const Group* const group = directory_.find(name);
  if (group == nullptr) {
    if (!wire::valid_group_name(name)) return Result::kBadName;
    return informed_ ? Result::kUnknownGroup : Result::kNotInView;
  }
  return publish(group->number, message, qos, completion, token);
}

Result GroupLayer::publish(uint32_t group, std::span<const uint8_t> message, Qos qos,
                           Completion* completion, uint64_t token) {
  if (completion != nullptr && completions_.full()) return Result::kAgain;
  const Result result = carrier_.publish(message, group, qos);
  if (result == Result::kOk && completion != nullptr)
    completions_.wait(carrier_.published(), *completion, token);
  return result;
}

void GroupLayer::group_message(const Delivery& from, std::span<const uint8_t> payload) {
  wire::GroupMessage message;
  const size_t rank = rank_of(from.source);
  const bool whole = wire::load_group_message(payload, message);
  const bool of_directory = from.group == wire::kDirectoryGroup;
  if (!whole || rank == nodes_.size() || from.qos < Qos::kTotallyOrdered ||
      (!of_directory && from.group - wire::kFirstNamedGroup >= wire::kNamedGroups)) {
    ++counters_.refused;
  } else if (of_directory) {
    directory_message(rank, from, message, payload);
  } else if (!informed_) {
    keep_until_informed(from, payload);
  } else {
    apply(from, message, rank);
  }
}

void GroupLayer::gap(const Gap& gap) {
  for (size_t i = 0; i < locals_.size(); ++i) {
    if (locals_[i]->state == Local::State::kMember) locals_[i]->handlers->gap(gap);
  }
}

void GroupLayer::out(End reason) {
  if (over_) return;
  over_ = true;
  informed_ = false;
  epoch_ = 0;
  nodes_.clear();
  outgoing_.clear();
  registering_.clear();
  unsaid_.clear();
  for (size_t i = 0; i < locals_.size(); ++i) {
    if (locals_[i]->handlers != nullptr) end(*locals_[i], reason);
  }
  completions_.give_up();
  directory_.clear();
  routes_.clear();
}

void GroupLayer::poll() {
  if (completions_.waiting() != 0) completions_.advance(carrier_.stable());
  if (epoch_ == 0) return;
  if (informed_ && !unsaid_.empty()) {
    saying_.swap(unsaid_);
    for (Local* const local : saying_) {
      local->queued = false;
      if (local->handlers != nullptr && !act(*local)) queue(*local);
    }
    saying_.clear();
  }
  if (!outgoing_.empty()) send_states();
}

std::optional<uint32_t> GroupLayer::number_of(std::string_view name) const {
  const Group* const group = directory_.find(name);
  return group == nullptr ? std::nullopt : std::optional(group->number);
}

bool GroupLayer::is_member(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found != by_name_.end() && found->second->state == Local::State::kMember;
}

GroupLayer::Standing GroupLayer::standing(const Group& group) const {
  if (group.local == Group::kNotLocal) return Standing::kKnown;
  const Local& local = *locals_[group.local];
  if (local.leave) return Standing::kLeaving;
  switch (local.state) {
    case Local::State::kWaiting:
      return Standing::kWaiting;
    case Local::State::kMember:
      return Standing::kMember;
    case Local::State::kLeaving:
      return Standing::kLeaving;
    default:
      return Standing::kJoining;
  }
}

void GroupLayer::deliver_by_directory(Delivery delivery, std::span<const uint8_t> message,
                                      uint32_t place) {
  const Group* const group = directory_.find(delivery.group);
  Local* const local = group == nullptr ? nullptr : local_of(*group);
  if (local == nullptr) return;
  if (local->state == Local::State::kWaiting) {
    if (delivery.qos != Qos::kUnreliable) keep(*local, delivery, message);
  } else if (local->state == Local::State::kMember) {
    routes_.forget(local->number, local->route);
    local->route = place;
    routes_.set(place, {local->handlers, local->number, directory_.key_of(*group)});
    delivery.name = local->name;
    local->handlers->delivered(delivery, message);
  }
}

size_t GroupLayer::rank_of(const wire::StreamName& name) const {
  return static_cast<size_t>(std::find(nodes_.begin(), nodes_.end(), name) - nodes_.begin());
}

// --- what this endpoint says ---------------------------------------------------------------------

void GroupLayer::queue(Local& local) {
  if (local.queued) return;
  local.queued = true;
  unsaid_.push_back(&local);
}

// Says what is to be said about the group. True: nothing is left.
bool GroupLayer::act(Local& local) {
  if (local.state == Local::State::kAsked) return register_or_join(local);
  if (local.state == Local::State::kRegistering || local.state == Local::State::kJoining)
    return true;
  if (local.leave && !local.said_leave)
    local.said_leave = say(GroupMessageType::kLeave, local.number);
  return !local.leave || local.said_leave;
}

bool GroupLayer::register_or_join(Local& local) {
  Group* const group = directory_.find(local.name);
  if (group == nullptr) {
    const size_t bytes = wire::store_group_register(local.name, payload_.data());
    if (!carrier_.say({payload_.data(), bytes}, wire::kDirectoryGroup, kGroupQos)) return false;
    local.state = Local::State::kRegistering;
    registering_.push_back(&local);
    return true;
  }
  if (!carrier_.subscribe(group->number)) {
    end(local, End::kNoRoom);
    return true;
  }
  local.number = group->number;
  group->local = local.self;
  if (!say(GroupMessageType::kJoin, local.number)) return false;
  local.state = Local::State::kJoining;
  return true;
}

bool GroupLayer::say(GroupMessageType type, uint32_t group) {
  const size_t bytes = wire::store_group_message(type, payload_.data());
  return carrier_.say({payload_.data(), bytes}, group, kGroupQos);
}

void GroupLayer::send_states() {
  for (size_t i = 0; i < kPiecesAPoll && !outgoing_.empty(); ++i) {
    OutgoingState& state = outgoing_.front();
    const size_t bytes = state.write(payload_.data(), payload_.size());
    if (!carrier_.say({payload_.data(), bytes}, state.group(), kGroupQos)) return;
    state.sent(bytes, config_.state_bytes);
    if (state.done()) outgoing_.pop_front();
  }
}

void GroupLayer::end(Local& local, End reason) {
  forget_wait(local);
  if (local.number != kNoGroup) {
    carrier_.unsubscribe(local.number);
    if (Group* const group = directory_.find(local.number)) group->local = Group::kNotLocal;
    routes_.forget(local.number, local.route);
  }
  by_name_.erase(local.name);
  Handlers& handlers = *local.handlers;
  const bool queued = local.queued;
  const uint32_t self = local.self;
  local = Local{};
  local.queued = queued;
  local.self = self;
  free_locals_.push_back(self);
  handlers.ended(reason);
}

}  // namespace lambdacast::group
