// SPDX-License-Identifier: BSD-3-Clause
// The groups of one endpoint with membership: names, members, and state for newcomers.
//
//   deliveries, in their order --> deliver, group_message, view, out --> Handlers
//   join, leave, publish, call --> Carrier, now or at the next poll()
//
// Groups are a state machine over the order (doc/protocol.md, section 16): every endpoint follows
// the members of every group, so any can tell a newcomer. A view of the nodes is a cut through all
// order domains at once: a newcomer gets the directory as of the view it joins. Within a view a
// group's events have their place among its messages.
//
// This class is what its users see; the state is in its parts: the view of the nodes (NodeView),
// names, numbers and members (Directory), what the events change in them (GroupEvents), the locks
// of groups (Locks), this endpoint's own groups (LocalGroups), states (StateTransfers) and the
// directory (DirectoryTransfer) under way, publications to be told of (Completions), calls of this
// endpoint (Calls), and of others to its groups (Requests).
//
// Not thread-safe: the application's thread owns it. Joins, leaves and states may allocate;
// deliveries and publications do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/uptime_clock.h"
#include "group/calls.h"
#include "group/carrier.h"
#include "group/completions.h"
#include "group/directory.h"
#include "group/directory_transfer.h"
#include "group/forwards.h"
#include "group/group_config.h"
#include "group/group_events.h"
#include "group/local_groups.h"
#include "group/locks.h"
#include "group/node_view.h"
#include "group/requests.h"
#include "group/state_transfers.h"

namespace lambdacast::group {

class GroupLayer {
 public:
  GroupLayer(const GroupConfig& config, Carrier& carrier);
  GroupLayer(const GroupLayer&) = delete;  // its parts know one another
  GroupLayer& operator=(const GroupLayer&) = delete;

  // --- the application --------------------------------------------------------------------------
  // `handlers` must live until ended(). The first view() tells them that this node is in the group.
  [[nodiscard]] Result join(std::string_view name, Handlers& handlers, JoinOptions options = {});
  // ended() tells the handlers that this node is out of the group.
  [[nodiscard]] Result leave(std::string_view name) { return locals_.leave(name); }
  // Publishes to a group by its name or by its number, whether this node is a member or not. The
  // message is copied before the call returns.
  [[nodiscard]] Result publish(std::string_view name, std::span<const uint8_t> message,
                               wire::Qos qos, Completion* completion = nullptr, uint64_t token = 0);
  [[nodiscard]] Result publish(uint32_t group, std::span<const uint8_t> message, wire::Qos qos,
                               Completion* completion = nullptr, uint64_t token = 0);

  // Asks for a lock of a group that this node is a member of. The answer is a HandlerEvent.
  // kAgain: no room, or `handlers` locks are held already as far as this node knows.
  [[nodiscard]] Result acquire(std::string_view name, uint32_t handler, bool only_if_free = false);
  // Gives back what it holds by that token, to `heir` if that is a member with state.
  [[nodiscard]] Result release(std::string_view name, uint32_t handler, const FencingToken& token,
                               const wire::StreamName* heir = nullptr);
  // Asks no longer for what it waits for.
  [[nodiscard]] Result withdraw(std::string_view name, uint32_t handler);
  // The token by which this node holds the lock as far as it knows: nothing from a ballot on until
  // the next view. That it holds it is no proof for anybody else.
  [[nodiscard]] std::optional<FencingToken> holds(std::string_view name, uint32_t handler) const;

  // Calls a group (lambdacast/call.h), whose name is known here. `handler` has to live until the
  // call has ended or is cancelled; it is null for Want::kNothing alone.
  [[nodiscard]] Result call(std::string_view name, std::span<const uint8_t> message,
                            const CallOptions& options, CallHandler* handler, uint64_t token);
  void cancel(CallHandler& handler, uint64_t token) { calls_.cancel(handler, token); }
  [[nodiscard]] Result answer(uint64_t ticket, const Content& message) {
    return requests_.answer(ticket, message);
  }
  [[nodiscard]] Result decline(uint64_t ticket) { return requests_.decline(ticket); }
  // For the request that the application is being handed, by the ticket that it has then.
  [[nodiscard]] Result keep(uint64_t ticket, const Content& message) {
    return requests_.keep(ticket, message);
  }

  // --- what comes, in its order -----------------------------------------------------------------
  // `place`: of the group among this endpoint's subscriptions, a hint (group/routes.h).
  void deliver(Delivery delivery, std::span<const uint8_t> message, uint32_t place) {
    if (const Route* const route = locals_.route(delivery.group, place)) [[likely]] {
      delivery.name = directory_.name(route->name);
      route->handlers->delivered(delivery, message);
    } else {
      locals_.deliver(delivery, message, place);
    }
  }
  // A delivery with that place comes soon.
  void prefetch(uint32_t place) const { locals_.prefetch(place); }
  // A message of Kind::kGroup: `from` as of a delivery, without the name.
  void group_message(const Delivery& from, std::span<const uint8_t> payload);
  // A message of the request layer: `from` as of a delivery, without the name.
  void request_message(const Delivery& from, std::span<const uint8_t> message);
  void gap(const Gap& gap) { locals_.gap(gap); }
  // The nodes' view, by rank; `stayed`: how many of them, the first ones, were in the view before.
  void view(uint64_t epoch, std::span<const wire::StreamName> members, size_t stayed);
  // This endpoint is in no view any more.
  void out(End reason);
  // Sends what is due, and tells which publications are stable. `drained`: nothing waits to be
  // taken that has come before. Calls are given up only then.
  void poll(uint64_t now_ns, bool drained);

  // --- reports ----------------------------------------------------------------------------------
  [[nodiscard]] const Directory& directory() const { return directory_; }
  // The number of a name that is known here.
  [[nodiscard]] std::optional<uint32_t> number_of(std::string_view name) const;
  [[nodiscard]] std::span<const wire::StreamName> nodes() const { return nodes_.nodes(); }
  // True if this node is in a view and knows its groups.
  [[nodiscard]] bool informed() const { return newcomers_.informed(); }
  // True if this node is in the group and has its state.
  [[nodiscard]] bool is_member(std::string_view name) const { return locals_.is_member(name); }
  [[nodiscard]] size_t joined() const { return locals_.joined(); }
  // The bytes that a joined group takes, beside its place in the directory.
  [[nodiscard]] static constexpr size_t bytes_of_joined() { return LocalGroups::bytes_of_group(); }
  // The bytes in use of GroupConfig::state_bytes.
  [[nodiscard]] size_t waiting_bytes() const { return locals_.waiting_bytes(); }
  // States that are to be sent, the directory among them.
  [[nodiscard]] size_t sending() const { return transfers_.sending(); }
  using Standing = group::Standing;
  [[nodiscard]] Standing standing(const Group& group) const { return locals_.standing(group); }
  [[nodiscard]] const GroupCounters& counters() const { return counters_; }
  [[nodiscard]] const HandlerTable& locks() const { return locks_.table(); }
  [[nodiscard]] const LockCounters& lock_counters() const { return locks_.counters(); }
  [[nodiscard]] const Calls& calls() const { return calls_; }
  [[nodiscard]] const Requests& requests() const { return requests_; }
  [[nodiscard]] const Forwards& forwards() const { return forwards_; }
  [[nodiscard]] uint32_t lineage() const { return nodes_.lineage(); }

 private:
  void directory_message(const Delivery& from, const wire::GroupMessage& message, size_t rank,
                         std::span<const uint8_t> payload);
  void on_directory_piece(const wire::GroupMessage& message);
  void apply_or_keep(const Delivery& from, const wire::GroupMessage& message, size_t rank,
                     std::span<const uint8_t> payload);
  void begin_uninformed();
  void send_directory();
  [[nodiscard]] bool load_directory();
  void inform();
  [[nodiscard]] Result say_release(const LocalGroup& local, const wire::GroupLock& given);

  const size_t state_bytes_;
  const size_t handlers_;
  Carrier& carrier_;
  GroupCounters counters_;
  bool over_ = false;  // out of the view for good
  NodeView nodes_;
  Directory directory_;
  LocalGroups locals_;
  Locks locks_;
  StateTransfers transfers_;
  DirectoryTransfer newcomers_;
  Completions completions_;
  Calls calls_;
  Requests requests_;
  Forwards forwards_;
  base::UptimeClock clock_;  // of calls
  GroupEvents events_;
};

}  // namespace lambdacast::group
