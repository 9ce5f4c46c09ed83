// SPDX-License-Identifier: BSD-3-Clause
// Calls to a group, on the caller's side (RMP 1996, 5): what it asks for, and what it is told.
//
// A call is a message to the members of a group, and some of them answer it. Every member delivers
// a totally ordered request at the same place, so all know alike who is asked: the holder of one of
// the group's locks, or all members with state. A call ends once, and never before its outcome is
// certain. It is told what it may rely on: whether the request was delivered, and for each member
// that was asked whether it has answered, declined, departed, or said nothing until the end.
//
// This is plain C++, which applications include without the rest of the tree.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "lambdacast/group.h"
#include "lambdacast/names.h"
#include "lambdacast/qos.h"

namespace lambdacast {

// The outcome that a caller waits for.
enum class Want : uint8_t {
  kNothing,          // the call has no outcome: nobody is told of it
  kAcknowledgement,  // that the request has been delivered at its level
  kHolder,           // the answer of the holder of a lock
  kAnswers           // the answers of so many members
};

// The bytes of an answer. With an owner they stay where they are until they have been sent, and the
// owner is given up then, on the ordering lcore; bytes of many megabytes should have one. Without
// an owner they are valid during the call alone, and are copied.
class Content {
 public:
  Content() = default;
  Content(const uint8_t* bytes, size_t count) : bytes_(bytes, count) {}
  template <typename Bytes>
  requires std::convertible_to<Bytes, std::span<const uint8_t>> Content(
      Bytes&& bytes, std::shared_ptr<const void> owner = nullptr)  // implicit, as a span is
      : bytes_(std::forward<Bytes>(bytes)), owner_(std::move(owner)) {}

  [[nodiscard]] std::span<const uint8_t> bytes() const { return bytes_; }
  [[nodiscard]] const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::span<const uint8_t> bytes_;
  std::shared_ptr<const void> owner_;
};

struct CallOptions {
  Want want = Want::kHolder;
  // kHolder and kAnswers need totally ordered or more, an acknowledgement needs reliable or more.
  // From majority on what is said of a request holds for all views that follow. Below, it holds for
  // those that go on from this one.
  Qos qos = Qos::kMajority;
  uint32_t handler = 0;     // kHolder: the lock's number in the group
  uint8_t answers = 0;      // kAnswers: so many; 0: of all members with state
  uint64_t timeout_ns = 0;  // of the time in which this endpoint runs; 0: requests.timeout_ms
  uint32_t most_answer_bytes = 1 << 20;  // of each answer
  // The request is refused, for all alike, if the group has changed since: a member has joined or
  // left, or another view of the nodes has begun. For totally ordered requests.
  std::optional<Stamp> unchanged_since = std::nullopt;
  // For an endpoint outside the view: the member that brings the request into the order. Without
  // it that is one of requests.entries, or one that is found. A member of the view brings its own.
  std::optional<NodeName> via = std::nullopt;
};

// A member that was asked, and what it has done.
struct Asked {
  enum class Fate : uint8_t {
    kAnswered,
    kDeclined,
    kDeparted,
    kSilent,
    kForgotten  // it had the request before, and keeps no answer to it
  };
  NodeName member;
  Fate fate = Fate::kSilent;
};

struct Outcome {
  enum class What : uint8_t {
    kAcknowledged,  // the request is delivered at its level
    kAnswered,      // as many answers as were wanted
    kShort,         // fewer: those that lack have declined or departed
    kNobody,        // nobody holds the lock, or the group has no member with state
    // The holder was asked and is out of the view, or of the group if the caller is outside the
    // view. Nobody else will answer.
    kHolderDeparted,
    kNoAnswerKept,  // it was answered before, and the answer is gone
    kRefused,       // the group is suspended or has changed, or no entry took the request
    kExpired,       // the session was pushed out: perhaps delivered before, never from now on
    kTimeout,       // given up
    kUnknown        // this endpoint is out of the view
  };
  // Has the request been delivered to the group? kNo: it never will be.
  enum class Delivered : uint8_t { kYes, kNo, kUnknown };
  What what = What::kUnknown;
  Delivered delivered = Delivered::kUnknown;
  uint64_t epoch = 0;  // kYes: the request's place in the order, as Delivery has it
  uint64_t index = 0;
  std::span<const Asked> asked;  // by rank, the departed behind them; valid during the call
};

// The outcome of calls. It must live until they have ended, or are cancelled. All is called on the
// thread that polls the endpoint; the called code may call again.
class CallHandler {
 public:
  virtual ~CallHandler() = default;
  // An answer, which may come before the request is delivered here. The bytes are valid during the
  // call.
  virtual void answered(uint64_t token, const NodeName& from, std::span<const uint8_t> answer) {
    (void)token, (void)from, (void)answer;
  }
  virtual void ended(uint64_t token, const Outcome& outcome) = 0;
};

[[nodiscard]] constexpr std::string_view text(Outcome::What what) {
  switch (what) {
    case Outcome::What::kAcknowledged:
      return "acknowledged";
    case Outcome::What::kAnswered:
      return "answered";
    case Outcome::What::kShort:
      return "fewer answers than wanted: the other members declined or departed";
    case Outcome::What::kNobody:
      return "nobody was there to answer";
    case Outcome::What::kHolderDeparted:
      return "the holder was asked and has departed";
    case Outcome::What::kNoAnswerKept:
      return "it was answered before, and the answer is gone";
    case Outcome::What::kExpired:
      return "the session has expired: perhaps delivered before, never from now on";
    case Outcome::What::kRefused:
      return "the group is suspended or has changed, or no entry took the request";
    case Outcome::What::kTimeout:
      return "no answer in time";
    case Outcome::What::kUnknown:
      return "this endpoint is out of the view";
  }
  return "";
}

}  // namespace lambdacast
