// SPDX-License-Identifier: BSD-3-Clause
// Calls to groups in the log of a run (log.h).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/multicast/log_names.h"
#include "wire/control/transport.h"

namespace lambdacast::sim {

// Numbers of calls by sessions, as from outside the view, are higher than that.
inline constexpr uint64_t kOutsideNumbers = uint64_t{1} << 20;

// A call of a life to a group, and what came of it, in order of time. (caller, number) names it.
struct CallTold {
  // A caller calls, gets an answer, and is told how the call ended. A member gets a request, and
  // says that it answers or declines, or keeps what the holder would answer.
  enum class What : uint8_t {
    kCalled,
    kRequested,
    kAnswering,
    kDeclining,
    kKeeping,
    kAnswer,
    kEnded
  };
  struct Fate {
    uint32_t life = kNobody;
    uint8_t fate = 0;  // lambdacast::Asked::Fate
  };
  What what = What::kCalled;
  uint32_t life = 0;
  uint32_t view = kNobody;  // of the nodes, that of the life: index in Log::views
  uint32_t caller = 0;
  uint64_t number = 0;
  uint32_t name = 0;                       // index in kGroupNames; of the last two: 0
  uint8_t want = 0;                        // kCalled: lambdacast::Want
  uint8_t k = 0;                           // kCalled
  wire::Qos qos = wire::Qos::kUnreliable;  // kCalled: wanted; kRequested: of the request
  bool asked = false;                      // kRequested: it has a ticket
  uint32_t from = kNobody;                 // kAnswer: life
  uint64_t content = 0;                    // kAnswer
  uint8_t outcome = 0;                     // kEnded: lambdacast::Outcome::What
  uint8_t delivered = 0;                   // kEnded: lambdacast::Outcome::Delivered
  uint64_t epoch = 0;                      // kRequested, kEnded: place
  uint64_t index = 0;
  std::vector<Fate> fates;  // kEnded
};

}  // namespace lambdacast::sim
