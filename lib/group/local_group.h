// SPDX-License-Identifier: BSD-3-Clause
// One group that this endpoint is in, or on its way into or out of: how far it has got, and what
// its handlers hear.
//
//   kAsked -> kRegistering -> kAsked -> kJoining -> kMember
//                                            \-> kWaiting -> kMember        (for its state)
//                                                   \-> kLeaving            (no room for the state)
//
// Handlers may call the group layer, which asks to leave at once and takes effect later. Not
// thread-safe; owned by LocalGroups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "group/catch_up.h"
#include "group/handlers.h"
#include "group/members.h"
#include "group/node_view.h"
#include "group/numbering.h"
#include "group/sessions.h"
#include "wire/control/request.h"

namespace lambdacast::group {

class LocalGroup {
 public:
  enum class State : uint8_t {
    kAsked,        // to be registered if the name has no number, then to be joined
    kRegistering,  // its registration is on its way
    kJoining,      // its join is on its way
    kWaiting,      // in the group, without its state
    kMember,
    kLeaving  // its leave is to be said, or on its way; handlers hear nothing
  };

  // `place`: in the table of local groups. It stays, whatever group is here.
  // It remembers `sessions` callers outside the view at most.
  LocalGroup(uint32_t place, Budget& budget, size_t sessions)
      : place_(place), budget_(budget), catch_up_(budget), sessions_(sessions) {}

  void begin(std::string_view name, Handlers& handlers, const JoinOptions& options = {});
  // Forgets the group, and returns the handlers, which the caller tells.
  Handlers& finish();

  [[nodiscard]] uint32_t place() const { return place_; }
  [[nodiscard]] bool used() const { return handlers_ != nullptr; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] uint32_t number() const { return number_; }  // kNoGroup: not known yet
  [[nodiscard]] Handlers& handlers() { return *handlers_; }
  [[nodiscard]] const JoinOptions& options() const { return options_; }
  [[nodiscard]] bool leaves() const { return leaves_; }  // it has been asked to
  [[nodiscard]] End end() const { return end_; }         // the reason, when its leave is ordered

  // --- on its way in and out -----------------------------------------------------------------
  void set_number(uint32_t number) { number_ = number; }
  void move_to(State state) { state_ = state; }
  void ask_to_leave() { leaves_ = true; }
  // Out again without ever having been in: there is no room for what it would have to keep.
  void give_up();

  // --- what happens in the group -------------------------------------------------------------
  // All: handlers are told of it, or it is kept for when the state has come. False: there is no
  // room to keep it.
  [[nodiscard]] bool change(const Change& change, const NodeView& nodes);
  [[nodiscard]] bool change(const LockChange& change, const NodeView& nodes);
  [[nodiscard]] bool deliver(Delivery delivery, std::span<const uint8_t> message);
  // What the application has a request by (Request in lambdacast/group.h).
  struct Asking {
    bool answers = false;
    uint64_t ticket = 0;
  };
  // A member hands on a request to the group.
  void request(Delivery delivery, const wire::Envelope& envelope, std::span<const uint8_t> message,
               const Asking& asking);
  // A member that waits keeps it, and what was so at its place. False: there is no room.
  [[nodiscard]] bool keep(const KeptRequest& request, std::span<const uint8_t> message) {
    return catch_up_.keep(request, message);
  }
  // An open or a request of a caller outside the view at its place, which a member with state has.
  Sessions::Verdict admit(const wire::Envelope& request, const wire::RequestPlace& at, bool refused,
                          uint8_t asked);
  [[nodiscard]] const Sessions& sessions() const { return sessions_; }
  // A view of the nodes has begun. Who waits for the state gets it as of that, or of later.
  void move(std::span<const uint8_t> now) { sessions_.move(now); }
  // Appends what a newcomer gets: sessions, and the application's state.
  void snapshot(std::vector<uint8_t>& out);
  // A member's first view, in which it joined. Of `group` members and `suspended` count.
  void enter(const Change& group, const NodeView& nodes);
  // A member is told that nodes have departed: by their ranks in the node view before.
  void tell_departed(const Change& group, NodeSet departed_before, const NodeView& nodes);

  // While it waits: the state is to come as of that event, behind which the group is like that.
  void expect(const EventId& as_of, const Change& group);
  [[nodiscard]] CatchUp::Taken take(const wire::GroupPiece& piece, std::span<const uint8_t> bytes) {
    return catch_up_.take(piece, bytes);
  }
  // The state is there: handlers get it, their first view and what was kept.
  void restore(const NodeView& nodes);
  // The state is lost: handlers begin from nothing, as a member.
  void begin_anew(const Change& group, const NodeView& nodes);

 private:
  void tell(const Change& change, const NodeView& nodes);
  void tell(const LockChange& change, const NodeView& nodes);
  void replay(const KeptRequest& request, std::span<const uint8_t> message);
  // Returns the application's state. `ranks`: of the nodes' view.
  [[nodiscard]] std::span<const uint8_t> load_sessions(std::span<const uint8_t> state,
                                                       size_t ranks);

  const uint32_t place_;
  Budget& budget_;
  State state_ = State::kAsked;
  bool leaves_ = false;
  End end_ = End::kLeft;
  std::string name_;
  uint32_t number_ = kNoGroup;
  Handlers* handlers_ = nullptr;  // null: free
  JoinOptions options_;
  CatchUp catch_up_;
  Sessions sessions_;
};

}  // namespace lambdacast::group
