// SPDX-License-Identifier: BSD-3-Clause
// The application's side of groups: values, results, and the calls that it gets.
//
// An application derives from Handlers, with one object for each group that it joins. It derives
// from Completion if it wants to know when a publication is stable. All calls come on the thread
// that polls the endpoint, between two messages of the order. The called code may join, leave and
// publish.
//
// This is plain C++, which applications include without the rest of the tree.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lambdacast/names.h"
#include "lambdacast/qos.h"

namespace lambdacast {

// The proof of a grant of a lock, by which a resource outside the order tells an old holder from a
// new one (a fencing token): of two of one lock and one lineage, the later grant's is newer. A
// lineage ends when no node is left that knows the groups. Places begin anew then, so that tokens
// of two lineages cannot be compared: a resource that knows one refuses those of another until a
// person says otherwise.
struct FencingToken {
  uint32_t lineage = 0;
  uint64_t epoch = 0;  // of the node view
  uint64_t place = 0;  // in it; 0: the view's beginning
  bool operator==(const FencingToken&) const = default;
};

// May a resource take `token` if `newest` is the newest one that it has taken? It has to ask, and
// to remember, in one step.
[[nodiscard]] constexpr bool admits(const FencingToken& newest, const FencingToken& token) {
  if (token.lineage != newest.lineage) return false;
  return token.epoch != newest.epoch ? token.epoch > newest.epoch : token.place >= newest.place;
}

struct Delivery {
  uint32_t group = 0;
  std::string_view name;  // the group's, empty if it has none; valid during the call
  NodeName source;        // the publisher
  Qos qos = Qos::kUnreliable;
  uint64_t epoch = 0;  // of the node view
  // The place of a totally ordered message, or one of a higher level, is (epoch, domain, index).
  // Messages that shared a packet have the same place.
  uint32_t domain = 0;
  uint64_t index = 0;
  uint64_t sent_ns = 0;   // the source's clock
  uint64_t heard_ns = 0;  // this endpoint's clock
};

// A request to a group, at its place among the group's messages.
struct Request {
  Delivery delivery;  // its source has sent the request; the name is valid during the call
  NodeName caller;
  uint32_t handler = 0;  // Want::kHolder: the lock whose holder is asked
  bool answers = false;  // this endpoint is asked: it has to answer or to decline by `ticket`
  // For Groups::answer(), during the request or later. An endpoint that is not asked has one for
  // Groups::keep(), during the request alone, if the holder is asked by a caller outside the view.
  uint64_t ticket = 0;
  uint32_t most_answer_bytes = 0;
};

// The place of a change of a group, or of a message to it, in its order. That of a message is
// (Delivery::epoch, Delivery::index + 1), and that of a request (Outcome::epoch, Outcome::index +
// 1).
struct Stamp {
  uint64_t epoch = 0;
  uint64_t place = 0;
  auto operator<=>(const Stamp&) const = default;
};

// A new view of a group, which is an event in the group's order. The name and the lists are valid
// during the call.
struct GroupView {
  uint32_t group = 0;
  std::string_view name;
  uint64_t epoch = 0;                 // of the node view
  std::span<const NodeName> members;  // by rank in the node view, this endpoint among them
  std::span<const NodeName> joined;
  std::span<const NodeName> departed;  // they have left, or are out of the node view
  // Fewer members have the state than JoinOptions::minimum: nobody gets a lock, and publish() is
  // kSuspended. When that changes without another member, a view without joined and departed ones
  // tells.
  bool suspended = false;
  Stamp stamp;  // the last change of its members; each view of the nodes counts as one
};

// The news of a lock of the group, in the group's order. A member is told of all grants, and
// at its first view of all locks that are held. The answers kQueued and kRefused are for who asked.
struct HandlerEvent {
  enum class What : uint8_t {
    kGranted,  // to who asked for it, or to who has it already
    kMoved,    // to who waited longest, or to the heir: its holder has released it, or is gone
    kFreed,    // nobody has it
    kQueued,   // somebody has it, or the group is suspended: kMoved follows
    kRefused   // somebody has it, or the group is suspended, or who asked has no state
  };
  What what = What::kGranted;
  uint32_t group = 0;
  std::string_view name;  // the group's, valid during the call
  uint32_t handler = 0;   // the lock's number in the group
  NodeName holder;        // all zeros: nobody
  bool own = false;       // this endpoint is the holder
  FencingToken token;     // of the holder
};

// Some packets of a sender were declared lost here. They carried messages below totally ordered,
// of any group, or ordered messages that this endpoint had no memory for. The latter put the
// endpoint out of the view.
struct Gap {
  NodeName source;
  uint64_t packets = 0;
};

// Why a group is not joined any more.
enum class End : uint8_t {
  kLeft,           // as asked
  kExcluded,       // this endpoint is out of the node view: it may come back as another incarnation
  kDirectoryFull,  // as many names as membership.names are given already
  kNoRoom,         // this endpoint subscribes to as many groups as it may
  kStateTooLarge,  // the state, with what came meanwhile, is more than membership.state_bytes
};

class Handlers {
 public:
  virtual ~Handlers() = default;
  virtual void delivered(const Delivery& delivery, std::span<const uint8_t> message) = 0;
  // A call of somebody: every member gets it, as it gets messages, and some of them are asked.
  virtual void requested(const Request& request, std::span<const uint8_t> message) {
    (void)request, (void)message;
  }
  virtual void view(const GroupView&) {}
  virtual void handler(const HandlerEvent&) {}
  virtual void gap(const Gap&) {}
  // Appends the state for a newcomer to `out`, which follows from the messages delivered so far.
  // The newcomer's restore() gets these bytes before its first view and its first delivery.
  virtual void snapshot(std::vector<uint8_t>& out) { (void)out; }
  virtual void restore(std::span<const uint8_t> state) { (void)state; }
  // No member that had the state is left. Those that waited for it begin from nothing here.
  virtual void state_lost() {}
  // The membership has ended, and no call follows. The name may be joined again, unless the reason
  // is kExcluded.
  virtual void ended(End reason) { (void)reason; }
};

// The engine that orders a group, where membership.order is "mixed".
enum class Engine : uint8_t { kAny, kSequencer, kRing };

// The wishes of a member for its group. They count if the group has no member when the join is
// ordered, so all members should wish for the same.
struct JoinOptions {
  // Members with state with which the group goes on. With fewer it is suspended, also when it
  // begins.
  uint8_t minimum = 0;
  // Counts if the name has no number yet, and where one engine orders all it is as good as kAny.
  Engine engine = Engine::kAny;
};

// The outcome of a publication. Calls come in the order of publications.
class Completion {
 public:
  virtual ~Completion() = default;
  // Every receiver has the message. For an ordered message, every member of the node view has it
  // and its place in the order.
  virtual void stable(uint64_t token) = 0;
  // This endpoint is out of the node view, and does not know whether the others have the message.
  virtual void unknown(uint64_t token) = 0;
};

// The outcome of a call.
enum class Result : uint8_t {
  kOk,
  kAgain,          // there is no room now: call again later
  kTooLong,        // the message is longer than max_message_bytes
  kNotInView,      // the message is totally ordered, and this endpoint is in no view
  kBadName,        // see kMaxGroupNameBytes
  kUnknownGroup,   // nobody has ever joined a group of that name
  kAlreadyJoined,  // the group is joined, or is being joined
  kNotJoined,      // the group is neither joined nor being joined
  kNotHolder,      // this endpoint does not hold the lock by that token
  kSuspended,      // the group has fewer members with state than its minimum
  kNeedsOrder,     // a call wants more than its level of service has
  kNoTicket,       // this endpoint is not asked by that ticket, or not any more
};

[[nodiscard]] constexpr std::string_view text(Result result) {
  switch (result) {
    case Result::kOk:
      return "done";
    case Result::kAgain:
      return "there is no room now: again later";
    case Result::kTooLong:
      return "the message is longer than endpoint.max_message_bytes";
    case Result::kNotInView:
      return "this endpoint is in no view, as totally ordered messages and groups need";
    case Result::kBadName:
      return "a group's name has 1 to 63 bytes of UTF-8, without control characters";
    case Result::kUnknownGroup:
      return "nobody has joined a group of that name so far";
    case Result::kAlreadyJoined:
      return "the group is joined already";
    case Result::kNotJoined:
      return "the group is not joined";
    case Result::kNotHolder:
      return "this endpoint does not hold the lock by that token";
    case Result::kSuspended:
      return "the group has fewer members with state than its minimum";
    case Result::kNeedsOrder:
      return "answers need a totally ordered request, as all calls from outside the view do, and "
             "acknowledgements a reliable one";
    case Result::kNoTicket:
      return "this endpoint is not asked by that ticket, or not any more";
  }
  return "";
}

[[nodiscard]] constexpr std::string_view text(End reason) {
  switch (reason) {
    case End::kLeft:
      return "left";
    case End::kExcluded:
      return "this endpoint is out of the view";
    case End::kDirectoryFull:
      return "as many groups as endpoint.membership.names have names already";
    case End::kNoRoom:
      return "this endpoint subscribes to as many groups as it may";
    case End::kStateTooLarge:
      return "the group's state is larger than endpoint.membership.state_bytes";
  }
  return "";
}

}  // namespace lambdacast
