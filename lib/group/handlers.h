// What an application sees of its groups: values, results and the calls that it gets. All calls
// come on the thread that polls, between two messages of the order, and may call the group layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wire/control/control.h"
#include "wire/control/transport.h"

namespace lambdacast::group {

struct Delivery {
  uint32_t group = 0;
  std::string_view name;    // of the group; empty: it has none
  wire::StreamName source;  // who published it
  wire::Qos qos = wire::Qos::kUnreliable;
  uint64_t epoch = 0;     // of the node view; the place in the order is (epoch, domain, index):
  uint32_t domain = 0;    // of totally ordered messages and above
  uint64_t index = 0;     // likewise; messages that shared a packet have the same
  uint64_t sent_ns = 0;   // the source's clock
  uint64_t heard_ns = 0;  // ours
};

// A new view of a group: an event in its order. The spans are valid during the call.
struct GroupView {
  uint32_t group = 0;
  std::string_view name;
  uint64_t epoch = 0;                         // of the node view
  std::span<const wire::StreamName> members;  // by rank in the node view, this endpoint among them
  std::span<const wire::StreamName> joined;
  std::span<const wire::StreamName> departed;  // left, or out of the node view
};

// Packets of a sender that were declared lost here: messages below totally ordered, of any group;
// or ordered ones that this endpoint had no memory for, and is out of the view.
struct Gap {
  wire::StreamName source;
  uint64_t packets = 0;
};

enum class End : uint8_t {
  kLeft,           // as asked
  kExcluded,       // this endpoint is out of the node view: it may come back as another life
  kDirectoryFull,  // as many names as membership.names are given already
  kNoRoom,         // this endpoint subscribes to as many groups as it may
  kStateTooLarge,  // the state, with what came meanwhile, is more than membership.state_bytes
};

class Handlers {
 public:
  virtual ~Handlers() = default;
  virtual void delivered(const Delivery& delivery, std::span<const uint8_t> message) = 0;
  virtual void view(const GroupView&) {}
  virtual void gap(const Gap&) {}
  // State for a newcomer: all that the messages delivered so far have made of it, appended to
  // `out`. The newcomer's restore() gets these bytes, before its first view and first delivery.
  virtual void snapshot(std::vector<uint8_t>& out) { (void)out; }
  virtual void restore(std::span<const uint8_t> state) { (void)state; }
  // Nobody who had the state is left: whoever is in the group begins from nothing, here.
  virtual void state_lost() {}
  // No call follows, and the name may be joined again (but for kExcluded).
  virtual void ended(End reason) { (void)reason; }
};

// Of a publication, in the order of publications.
class Completion {
 public:
  virtual ~Completion() = default;
  // Every receiver (every member of the node view) has the message and its place in the order.
  virtual void stable(uint64_t token) = 0;
  // This endpoint is out of the node view: whether the others have it is not known.
  virtual void unknown(uint64_t token) = 0;
};

enum class Result : uint8_t {
  kOk,
  kAgain,          // back-pressure: later
  kTooLong,        // a longer message than ever goes
  kNotInView,      // totally ordered, and there is no view (or this endpoint is out of it)
  kBadName,        // 1 to 63 bytes, no control characters
  kUnknownGroup,   // nobody has ever joined a group of that name
  kAlreadyJoined,  // or joining
  kNotJoined,      // nor joining
};

[[nodiscard]] std::string_view text(Result result);
[[nodiscard]] std::string_view text(End reason);

// The level of the group layer's own messages. A state is as of the place of an event of its group,
// and nobody may come to find that event elsewhere.
inline constexpr wire::Qos kGroupQos = wire::Qos::kTotallyResilient;

// What carries the messages.
class Carrier {
 public:
  virtual ~Carrier() = default;
  // Of the group layer itself (Kind::kGroup), a packet each. False: not now.
  virtual bool say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) = 0;
  virtual Result publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos) = 0;
  // False: no room for another subscription.
  virtual bool subscribe(uint32_t group) = 0;
  virtual void unsubscribe(uint32_t group) = 0;
  // How many recoverable publications there will have been when the last one accepted is stable,
  // and how many are.
  virtual uint64_t published() const = 0;
  virtual uint64_t stable() const = 0;
};

}  // namespace lambdacast::group
