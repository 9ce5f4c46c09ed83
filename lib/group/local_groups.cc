// SPDX-License-Identifier: BSD-3-Clause
#include "group/local_groups.h"

namespace lambdacast::group {

using State = LocalGroup::State;

LocalGroups::LocalGroups(Carrier& carrier, Directory& directory, const Room& room)
    : carrier_(carrier),
      directory_(directory),
      budget_(room.state_bytes),
      sessions_(room.sessions),
      routes_(directory.capacity()) {}

Result LocalGroups::join(std::string_view name, Handlers& handlers, const JoinOptions& options) {
  if (by_name_.contains(name)) return Result::kAlreadyJoined;
  if (free_.empty()) {
    const auto place = static_cast<uint32_t>(groups_.size());
    groups_.push_back({std::make_unique<LocalGroup>(place, budget_, sessions_)});
    free_.push_back(place);
  }
  LocalGroup& local = *groups_[free_.back()].local;
  free_.pop_back();
  local.begin(name, handlers, options);
  by_name_.emplace(local.name(), &local);
  queue(local);
  return Result::kOk;
}

Result LocalGroups::leave(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return Result::kNotJoined;
  LocalGroup& local = *found->second;
  if (local.state() == State::kAsked) {
    end(local, End::kLeft);
  } else if (!local.leaves()) {
    local.ask_to_leave();
    queue(local);
  }
  return Result::kOk;
}

// Handlers may join meanwhile, which moves the table.
void LocalGroups::gap(const Gap& gap) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    LocalGroup& local = *groups_[i].local;
    if (local.state() == State::kMember) local.handlers().gap(gap);
  }
}

void LocalGroups::queue(LocalGroup& local) {
  if (entry(local).queued) return;
  entry(local).queued = true;
  unsaid_.push_back(&local);
}

void LocalGroups::poll() {
  if (unsaid_.empty()) return;
  saying_.swap(unsaid_);
  for (LocalGroup* const local : saying_) {
    entry(*local).queued = false;
    if (local->used() && !say_what_is_due(*local)) queue(*local);
  }
  saying_.clear();
}

// True: nothing is left to be said about the group.
bool LocalGroups::say_what_is_due(LocalGroup& local) {
  if (local.state() == State::kAsked) return register_or_join(local);
  if (local.state() == State::kRegistering || local.state() == State::kJoining) return true;
  Entry& in = entry(local);
  if (local.leaves() && !in.said_leave)
    in.said_leave = say(wire::store_group_leave(payload_.data()), local.number());
  return !local.leaves() || in.said_leave;
}

bool LocalGroups::register_or_join(LocalGroup& local) {
  Group* const group = directory_.find(local.name());
  if (group == nullptr) {
    const auto engine = static_cast<uint8_t>(local.options().engine);
    const size_t bytes = wire::store_group_register(local.name(), engine, payload_.data());
    if (!say(bytes, wire::kDirectoryGroup)) return false;
    local.move_to(State::kRegistering);
    registering_.push_back(&local);
    return true;
  }
  if (!carrier_.subscribe(group->number)) {
    end(local, End::kNoRoom);
    return true;
  }
  local.set_number(group->number);
  group->local = local.place();
  const size_t bytes = wire::store_group_join(local.options().minimum, payload_.data());
  if (!say(bytes, local.number())) return false;
  local.move_to(State::kJoining);
  return true;
}

void LocalGroups::registered(std::string_view name, bool enrolled) {
  if (registering_.empty() || registering_.front()->name() != name) return;
  LocalGroup& local = *registering_.front();
  registering_.pop_front();
  if (!enrolled) return end(local, End::kDirectoryFull);
  local.move_to(State::kAsked);
  queue(local);
}

void LocalGroups::give_up(LocalGroup& local) {
  local.give_up();
  queue(local);
}

void LocalGroups::end(LocalGroup& local, End reason) {
  Entry& in = entry(local);
  if (local.number() != kNoGroup) {
    carrier_.unsubscribe(local.number());
    if (Group* const group = directory_.find(local.number())) group->local = Group::kNotLocal;
    routes_.forget(local.number(), in.route);
  }
  by_name_.erase(local.name());
  Handlers& handlers = local.finish();
  in.route = 0;
  in.said_leave = false;
  free_.push_back(local.place());
  ++ended_;
  handlers.ended(reason);
}

void LocalGroups::end_all(End reason) {
  registering_.clear();
  unsaid_.clear();
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].local->used()) end(*groups_[i].local, reason);
  }
  routes_.clear();
}

void LocalGroups::deliver(const Delivery& delivery, std::span<const uint8_t> message,
                          uint32_t place) {
  const Group* const group = directory_.find(delivery.group);
  LocalGroup* const local = group == nullptr ? nullptr : of(*group);
  if (local == nullptr) return;
  if (local->state() == State::kMember) {
    Entry& in = entry(*local);
    routes_.forget(local->number(), in.route);
    in.route = place;
    routes_.set(place, {&local->handlers(), local->number(), directory_.key_of(*group)});
  }
  if (!local->deliver(delivery, message)) give_up(*local);
}

const LocalGroup* LocalGroups::member(std::string_view name) const {
  const auto found = by_name_.find(name);
  const bool in = found != by_name_.end() && found->second->state() == State::kMember;
  return in ? found->second : nullptr;
}

Standing LocalGroups::standing(const Group& group) const {
  if (group.local == Group::kNotLocal) return Standing::kKnown;
  const LocalGroup& local = *groups_[group.local].local;
  if (local.leaves()) return Standing::kLeaving;
  switch (local.state()) {
    case State::kWaiting:
      return Standing::kWaiting;
    case State::kMember:
      return Standing::kMember;
    case State::kLeaving:
      return Standing::kLeaving;
    default:
      return Standing::kJoining;
  }
}

}  // namespace lambdacast::group
