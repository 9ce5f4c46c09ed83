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
// A request goes to the group that it is for, at the level that its caller chooses. An answer goes
// reliably to its caller's personal group. It repeats the request's caller, number, floor and
// session, says in `stamp` at which place it found the request, and in `status` what it is; the
// other fields are 0. What the application wrote stands behind the envelope.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/control/control.h"

namespace lambdacast::wire {

inline constexpr size_t kEnvelopeBytes = 88;
// A caller has at most so many requests under way in a session: a number is at most so far above
// its floor.
inline constexpr uint64_t kRequestsUnderWay = 64;

enum class RequestType : uint8_t { kRequest = 2, kAnswer = 4 };

// The outcome that a caller waits for.
enum class RequestWant : uint8_t { kNothing, kAcknowledgement, kHolder, kAnswers };

// Does an answer carry something?
enum class AnswerStatus : uint8_t { kAnswered, kDeclined };

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
  uint32_t handler = 0;  // kHolder: of which lock
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

// The groups to which answers go. Several endpoints may have the same one, so that a caller looks
// at the name in the envelope.
inline constexpr uint32_t kFirstPersonalGroup = 0xffff0000;
inline constexpr uint32_t kPersonalGroups = 0xf000;
[[nodiscard]] uint32_t personal_group(const Gid& gid, uint32_t qpn);

}  // namespace lambdacast::wire
