// The groups of one endpoint with membership: names, members, and state for who joins.
//
//   deliveries, in their order --> deliver, group_message, view, out --> Handlers
//   join, leave, publish       --> Carrier, now or at the next poll()
//
// Groups are a state machine over the order (doc/protocol.md, "Groups"): every endpoint follows the
// members of every group, so any can tell a newcomer. A view of the nodes is a cut through all
// order domains at once: a newcomer gets the directory as of the view it joins. Within a view a
// group's events have their place among its messages.
//
// Not thread-safe: the application's thread owns it. What joins, leaves or carries state may
// allocate; deliveries and publications do not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "group/completions.h"
#include "group/directory.h"
#include "group/group_config.h"
#include "group/handlers.h"
#include "group/kept.h"
#include "group/members.h"
#include "group/routes.h"
#include "group/state_transfer.h"

namespace lambdacast::group {

struct GroupCounters {
  uint64_t states_sent = 0;
  uint64_t states_restored = 0;
  uint64_t states_lost = 0;
  uint64_t refused = 0;  // messages of the group layer that make no sense
};

class GroupLayer {
 public:
  GroupLayer(const GroupConfig& config, Carrier& carrier);

  // --- the application --------------------------------------------------------------------------
  // `handlers` must live until ended(). What becomes of it they are told: view() when it is in.
  [[nodiscard]] Result join(std::string_view name, Handlers& handlers);
  // ended() when it is out.
  [[nodiscard]] Result leave(std::string_view name);
  // To a group by its name, a member of it or not, or by its number. The message is copied before
  // it returns.
  [[nodiscard]] Result publish(std::string_view name, std::span<const uint8_t> message,
                               wire::Qos qos, Completion* completion = nullptr, uint64_t token = 0);
  [[nodiscard]] Result publish(uint32_t group, std::span<const uint8_t> message, wire::Qos qos,
                               Completion* completion = nullptr, uint64_t token = 0);

  // --- what comes, in its order -----------------------------------------------------------------
  // `place`: of the group among this endpoint's subscriptions, a hint (group/routes.h).
  void deliver(Delivery delivery, std::span<const uint8_t> message, uint32_t place) {
    if (const Route* const route = routes_.find(delivery.group, place)) [[likely]] {
      delivery.name = directory_.name(route->name);
      route->handlers->delivered(delivery, message);
    } else {
      deliver_by_directory(delivery, message, place);
    }
  }
  // A delivery with that place comes soon.
  void prefetch(uint32_t place) const { routes_.prefetch(place); }
  // A message of Kind::kGroup: `from` as of a delivery, without the name.
  void group_message(const Delivery& from, std::span<const uint8_t> payload);
  void gap(const Gap& gap);
  // The nodes' view, by rank; `stayed`: how many of them, the first ones, were in the view before.
  void view(uint64_t epoch, std::span<const wire::StreamName> members, size_t stayed);
  // This endpoint is in no view any more.
  void out(End reason);
  // Says what is to be said, and which publications are stable.
  void poll();

  // --- reports ----------------------------------------------------------------------------------
  [[nodiscard]] const Directory& directory() const { return directory_; }
  // The number of a name that is known here.
  [[nodiscard]] std::optional<uint32_t> number_of(std::string_view name) const;
  [[nodiscard]] std::span<const wire::StreamName> nodes() const { return nodes_; }
  // In a view, and told of its groups.
  [[nodiscard]] bool informed() const { return informed_; }
  // In the group, with its state.
  [[nodiscard]] bool is_member(std::string_view name) const;
  [[nodiscard]] size_t joined() const { return by_name_.size(); }
  // Of a group that was joined, beside its place in the directory.
  [[nodiscard]] static constexpr size_t bytes_of_joined() { return sizeof(Local) + sizeof(Route); }
  // Of GroupConfig::state_bytes.
  [[nodiscard]] size_t waiting_bytes() const { return waiting_bytes_; }
  // States that are to be sent, the directory among them.
  [[nodiscard]] size_t sending() const { return outgoing_.size(); }
  // What a group is to this endpoint.
  enum class Standing : uint8_t { kKnown, kJoining, kWaiting, kMember, kLeaving };
  [[nodiscard]] Standing standing(const Group& group) const;
  [[nodiscard]] const GroupCounters& counters() const { return counters_; }

 private:
  // A group that this endpoint is in, or on its way into or out of.
  struct Local {
    enum class State : uint8_t {
      kAsked,        // to be registered if need be, then to be joined
      kRegistering,  // its registration is on its way
      kJoining,      // its join is
      kWaiting,      // in the group, for its state
      kMember,
      kLeaving  // its leave is to be said, or on its way; nothing is handed on
    };
    State state = State::kAsked;
    uint32_t self = 0;   // its place in locals_
    uint32_t route = 0;  // a member: where in routes_ it is, if it is
    bool leave = false;  // asked for
    bool said_leave = false;
    bool queued = false;   // in unsaid_
    End end = End::kLeft;  // what ended() will say
    std::string name;
    uint32_t number = kNoGroup;
    Handlers* handlers = nullptr;
    IncomingState incoming;
    RankMask members_then = 0;  // as of the event that the state is of
    Kept kept;
  };

  // group_layer.cc
  void queue(Local& local);
  [[nodiscard]] bool act(Local& local);
  [[nodiscard]] bool register_or_join(Local& local);
  [[nodiscard]] bool say(wire::GroupMessageType type, uint32_t group);
  void send_states();
  void end(Local& local, End reason);
  void deliver_by_directory(Delivery delivery, std::span<const uint8_t> message, uint32_t place);
  [[nodiscard]] Local* local_of(const Group& group) {
    return group.local == Group::kNotLocal ? nullptr : locals_[group.local].get();
  }

  // events.cc: of a group
  void apply(const Delivery& from, const wire::GroupMessage& message, size_t rank);
  void on_register(std::string_view name, bool own);
  void on_join(Group& group, size_t rank, const EventId& at);
  void on_leave(Group& group, size_t rank);
  void begin_anew_if_orphaned(Group& group);
  void tell(const Group& group, const Change& change);
  void tell_now(Local& local, const Change& change);
  [[nodiscard]] std::span<const wire::StreamName> names_of(
      RankMask mask, std::span<const wire::StreamName> nodes,
      std::array<wire::StreamName, wire::kMaxMembers>& out) const;

  // newcomer.cc: state of a group for who joins it
  void serve(Group& group, RankMask whom, const EventId& as_of);
  void send_state(const Group& group, RankMask whom, const EventId& as_of);
  [[nodiscard]] RankMask waits_for(const Group& group, const wire::GroupPiece& piece) const;
  void forget_waits(uint32_t group, RankMask ranks);
  void forget_wait(Local& local);
  void on_piece(Group& group, const wire::GroupMessage& message, const EventId& at);
  void on_refuse(Group& group, size_t rank, const wire::GroupPiece& piece, const EventId& at);
  void refuse_newcomers(Group& group, RankMask ranks);
  void restore(Local& local);
  void keep(Local& local, const Delivery& delivery, std::span<const uint8_t> message);
  void give_up(Local& local);
  [[nodiscard]] size_t waiting_room() const { return config_.state_bytes - waiting_bytes_; }

  // node_view.cc: the directory, for who joins the node view
  void begin_uninformed();
  void move_group(Group& group, std::span<const uint8_t> now);
  void move_nodes(std::span<const uint8_t> now);
  void tell_directory();
  [[nodiscard]] bool load_directory();
  void directory_message(size_t rank, const Delivery& from, const wire::GroupMessage& message,
                         std::span<const uint8_t> payload);
  void on_directory_piece(const wire::GroupMessage& message);
  void keep_until_informed(const Delivery& from, std::span<const uint8_t> payload);
  void inform();

  [[nodiscard]] size_t rank_of(const wire::StreamName& name) const;
  [[nodiscard]] EventId view_event() const { return {epoch_, wire::kViewIndex}; }

  const GroupConfig config_;
  Carrier& carrier_;
  Directory directory_;
  Routes routes_;
  Completions completions_;
  GroupCounters counters_;

  uint64_t epoch_ = 0;                    // 0: in no view
  std::vector<wire::StreamName> nodes_;   // of the view, by rank
  std::vector<wire::StreamName> before_;  // of the view before, while it changes
  size_t own_rank_ = 0;
  bool over_ = false;  // out of the view for good

  std::vector<std::unique_ptr<Local>> locals_;  // a free one has no handlers
  std::vector<uint32_t> free_locals_;
  std::unordered_map<std::string_view, Local*> by_name_;
  size_t waiting_bytes_ = 0;        // of all locals: states coming in, and what is kept
  std::vector<Local*> unsaid_;      // about which something is to be said
  std::vector<Local*> saying_;      // those, while poll() goes through them
  std::deque<Local*> registering_;  // in the order of their registrations
  std::deque<OutgoingState> outgoing_;
  std::vector<uint8_t> payload_;

  // As of which event of this view a waiting member gets its state: a piece for its membership
  // before this one may still come.
  struct Wait {
    uint32_t group = kNoGroup;
    uint32_t rank = 0;
    uint64_t index = 0;
  };
  std::vector<Wait> waits_;

  // The directory itself, for newcomers.
  bool informed_ = false;
  size_t informed_nodes_ = 0;  // the first so many ranks: whoever came later is told later
  IncomingState incoming_;
  Kept queue_;  // messages of the group layer, until informed
};

}  // namespace lambdacast::group
