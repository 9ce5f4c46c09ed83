// SPDX-License-Identifier: BSD-3-Clause
// The groups of this endpoint: what the application has asked for, and what is to be said about it.
//
//   join, leave --> registrations, joins and leaves --> Carrier, at the next poll()
//   deliveries  --> handlers
//
// Not thread-safe. Joining allocates; deliveries do not, once a group is a member.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "group/carrier.h"
#include "group/directory.h"
#include "group/local_group.h"
#include "group/routes.h"

namespace lambdacast::group {

// The standing of this endpoint in a group.
enum class Standing : uint8_t { kKnown, kJoining, kWaiting, kMember, kLeaving };

class LocalGroups {
 public:
  struct Room {
    size_t state_bytes = 0;  // of states coming in and of what is kept meanwhile, for all groups
    size_t sessions = 0;     // of callers outside the view, in each group
  };
  LocalGroups(Carrier& carrier, Directory& directory, const Room& room);

  // --- the application -----------------------------------------------------------------------
  [[nodiscard]] Result join(std::string_view name, Handlers& handlers,
                            const JoinOptions& options = {});
  [[nodiscard]] Result leave(std::string_view name);
  void gap(const Gap& gap);

  // --- what goes out -------------------------------------------------------------------------
  // Says what is to be said, as far as the carrier takes it. The directory has to be known.
  void poll();
  // This endpoint's registration has come back. False: the directory was full.
  void registered(std::string_view name, bool enrolled);
  // Something is to be said about it.
  void queue(LocalGroup& local);
  // No room for what it has to keep: out again.
  void give_up(LocalGroup& local);
  void end(LocalGroup& local, End reason);
  void end_all(End reason);

  // --- what comes in -------------------------------------------------------------------------
  // Null: the group is not this endpoint's.
  [[nodiscard]] LocalGroup* of(const Group& group) {
    return group.local == Group::kNotLocal ? nullptr : groups_[group.local].local.get();
  }
  // `place` of the endpoint's subscriptions. Null: deliver() knows.
  [[nodiscard]] const Route* route(uint32_t number, uint32_t place) const {
    return routes_.find(number, place);
  }
  void prefetch(uint32_t place) const { routes_.prefetch(place); }
  void deliver(const Delivery& delivery, std::span<const uint8_t> message, uint32_t place);
  // The directory holds other groups from now on.
  void forget_routes() { routes_.clear(); }

  // --- reports -------------------------------------------------------------------------------
  [[nodiscard]] size_t joined() const { return by_name_.size(); }
  [[nodiscard]] bool is_member(std::string_view name) const { return member(name) != nullptr; }
  // Null: this endpoint is no member of the group, or has not got its state.
  [[nodiscard]] const LocalGroup* member(std::string_view name) const;
  [[nodiscard]] Standing standing(const Group& group) const;
  // Is this endpoint in the group of that number, or on its way into or out of it?
  [[nodiscard]] bool is_in(uint32_t number) const {
    const Group* const group = directory_.find(number);
    return group != nullptr && group->local != Group::kNotLocal;
  }
  // Groups that have ended here.
  [[nodiscard]] uint64_t ended() const { return ended_; }
  [[nodiscard]] size_t waiting_bytes() const { return budget_.used(); }
  // The bytes that a joined group takes, beside its place in the directory.
  [[nodiscard]] static constexpr size_t bytes_of_group() {
    return sizeof(LocalGroup) + sizeof(Entry) + sizeof(Route);
  }

 private:
  struct Entry {
    std::unique_ptr<LocalGroup> local;
    uint32_t route = 0;  // the place of its route, if it has one
    bool said_leave = false;
    bool queued = false;  // in unsaid_
  };

  [[nodiscard]] bool say_what_is_due(LocalGroup& local);
  [[nodiscard]] bool register_or_join(LocalGroup& local);
  [[nodiscard]] bool say(size_t bytes, uint32_t group) {
    return carrier_.say({payload_.data(), bytes}, group, kGroupQos);
  }
  [[nodiscard]] Entry& entry(const LocalGroup& local) { return groups_[local.place()]; }

  Carrier& carrier_;
  Directory& directory_;
  Budget budget_;
  const size_t sessions_;
  Routes routes_;
  std::vector<Entry> groups_;
  std::vector<uint32_t> free_;
  std::unordered_map<std::string_view, LocalGroup*> by_name_;
  std::vector<LocalGroup*> unsaid_;  // about which something is to be said
  std::vector<LocalGroup*> saying_;  // unsaid_ as it was, while poll() goes through it
  uint64_t ended_ = 0;
  std::deque<LocalGroup*> registering_;  // in the order of their registrations
  std::array<uint8_t, wire::kGroupHeaderBytes + wire::kMaxGroupNameBytes> payload_;
};

}  // namespace lambdacast::group
