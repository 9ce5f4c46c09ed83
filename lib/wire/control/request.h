// SPDX-License-Identifier: BSD-3-Clause
// The envelope in front of each message of the request layer (Kind::kRequest): calls to a group
// (RMP 1996, 5) and the answers to them. Big-endian, 88 bytes:
//
//    0  type 1     1  want 1     2  k 1     3  status 1     4  handler 4
//    8  caller: its name 24
//   32  number 8: of the request, among those of its caller, from 1 on
//   40  floor 8: the caller has ended all its requests up to there
//   48  session: epoch 8     56  place 8; zeros: the caller is a member of the view
//   64  stamp: epoch 8     72  place 8
//   80  most bytes of an answer 4     84  patience in ms 4
//
// Opens and requests go to the group that they are for, at the level that their caller chooses. A
// find goes reliably to kFindGroup, and all other types go reliably to the personal group of their
// receiver. Answers and statuses repeat the request's caller, number, floor and session. They say
// in `stamp` at which place they found it (zeros: a repetition), in `handler` the group's number,
// and in `status` what they are. The other fields are 0. Opens and finds have numbers too, which
// tell them from others of their caller. Behind the envelope stand
//
//   in requests and answers the bytes that the application wrote
//   in a status kAsked the names of those who are asked, 24 bytes each
//   in a forward | level 1 | bytes of the name 1 | zero 2 | entry: GID 16, queue pair 4 | the
//   group's name | what was written |. Its envelope becomes that of the request, or that of an open
//   if its session is zeros
//   in all others nothing
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "wire/control/control.h"
#include "wire/control/group_message.h"
#include "wire/control/transport.h"

namespace lambdacast::wire {

inline constexpr size_t kEnvelopeBytes = 88;
// A caller has at most so many requests under way in a session: a number is at most so far above
// its floor.
inline constexpr uint64_t kRequestsUnderWay = 64;

enum class RequestType : uint8_t {
  kOpen = 1,  // a caller outside the view is to get a session
  kRequest = 2,
  kStatus = 3,  // what became of an open or of a request of such a caller: of the group's speaker
  kAnswer = 4,
  kPlaced = 5,  // of the entry: the request has its place, or there is no room for it
  kFind = 6,    // a caller outside the view looks for an entry
  kEntry = 7,   // the sender of this is one
  kForward = 8  // a caller outside the view to its entry
};

// The outcome that a caller waits for.
enum class RequestWant : uint8_t { kNothing, kAcknowledgement, kHolder, kAnswers };

// Tells what an answer or a status means.
enum class AnswerStatus : uint8_t {
  kAnswered,
  kDeclined,
  kNoAnswerKept,  // an answer: it was given once, and is not kept
  kOpened,        // a status, as all that follow: `stamp` is the session
  kAsked,         // these are asked, or were
  kRefused,       // the group is suspended or has changed, and the request is never executed
  kExpired,       // there is no such session, and the request is never executed from now on
  kBusy           // the entry has no room: this copy of the request is not executed
};

// A place in a group's order: (epoch, index + 1) of a message, as GrantPlace (group_message.h) is.
struct RequestPlace {
  uint64_t epoch = 0;
  uint64_t place = 0;
  auto operator<=>(const RequestPlace&) const = default;
};

struct Envelope {
  RequestType type = RequestType::kRequest;
  RequestWant want = RequestWant::kNothing;
  uint8_t k = 0;  // kAnswers: so many; 0: of all who are asked
  AnswerStatus status = AnswerStatus::kAnswered;
  uint32_t handler = 0;  // of a request, kHolder: which lock; of answers and statuses: the group
  StreamName caller;
  uint64_t number = 0;
  uint64_t floor = 0;
  RequestPlace session;
  RequestPlace stamp;
  uint32_t most_answer_bytes = 0;
  uint32_t patience_ms = 0;
  bool operator==(const Envelope&) const = default;
};

// Returns false if the message is shorter than an envelope, of an unknown type, want or status, or
// has a number that its floor does not allow: at or below it, or more than kRequestsUnderWay above
// it. `out` is unspecified then.
[[nodiscard]] bool load_envelope(std::span<const uint8_t> message, Envelope& out);
// Writes kEnvelopeBytes.
void store_envelope(const Envelope& envelope, uint8_t* out);

// The bytes behind the envelope of a forward. Personal groups may be shared, so that it names the
// entry: of two that publish it one could refuse a copy which the other one has brought into the
// order.
struct Forwarded {
  Qos qos = Qos::kMajority;
  Gid entry;
  uint32_t entry_qpn = 0;
  std::string_view name;             // the group's
  std::span<const uint8_t> message;  // of the application
};
inline constexpr size_t kForwardHeaderBytes = 24;
// Returns false if the bytes are no forward with a valid name. `out` refers to them.
[[nodiscard]] bool load_forwarded(std::span<const uint8_t> bytes, Forwarded& out);
// Writes kForwardHeaderBytes and the name; the message follows.
void store_forward_header(const Forwarded& forwarded, uint8_t* out);

// The groups to which answers go. Several endpoints may have the same one, so that a caller looks
// at the name in the envelope.
inline constexpr uint32_t kFirstPersonalGroup = 0xffff0000;
inline constexpr uint32_t kPersonalGroups = 0xf000;
[[nodiscard]] uint32_t personal_group(const Gid& gid, uint32_t qpn);

}  // namespace lambdacast::wire
