// SPDX-License-Identifier: BSD-3-Clause
// The words of a trace for what a log (log.h) notes. Each is a switch over all values, so that the
// compiler tells of a value without a word.
#pragma once

#include "lambdacast/call.h"
#include "reliability/receiver_events.h"
#include "sim/multicast/call_told.h"
#include "sim/multicast/log.h"

namespace lambdacast::sim {

[[nodiscard]] constexpr const char* word_of(CallTold::What what) {
  using What = CallTold::What;
  switch (what) {
    case What::kCalled:
      return "calls";
    case What::kRequested:
      return "is requested";
    case What::kAnswering:
      return "answers";
    case What::kDeclining:
      return "declines";
    case What::kKeeping:
      return "keeps an answer";
    case What::kAnswer:
      return "is answered";
    case What::kEnded:
      return "is told the outcome";
  }
  return "?";
}

[[nodiscard]] constexpr const char* word_of(Want want) {
  switch (want) {
    case Want::kNothing:
      return "nothing";
    case Want::kAcknowledgement:
      return "acknowledgement";
    case Want::kHolder:
      return "holder";
    case Want::kAnswers:
      return "answers";
  }
  return "?";
}

[[nodiscard]] constexpr const char* word_of(Asked::Fate fate) {
  using Fate = Asked::Fate;
  switch (fate) {
    case Fate::kAnswered:
      return "answered";
    case Fate::kDeclined:
      return "declined";
    case Fate::kDeparted:
      return "departed";
    case Fate::kSilent:
      return "silent";
    case Fate::kForgotten:
      return "has forgotten";
  }
  return "?";
}

[[nodiscard]] constexpr const char* word_of(Outcome::What what) {
  using What = Outcome::What;
  switch (what) {
    case What::kAcknowledged:
      return "acknowledged";
    case What::kAnswered:
      return "answered";
    case What::kShort:
      return "short";
    case What::kNobody:
      return "nobody";
    case What::kHolderDeparted:
      return "holder departed";
    case What::kNoAnswerKept:
      return "no answer kept";
    case What::kRefused:
      return "refused";
    case What::kExpired:
      return "expired";
    case What::kTimeout:
      return "timeout";
    case What::kUnknown:
      return "unknown";
  }
  return "?";
}

[[nodiscard]] constexpr const char* word_of(GroupTold::What what) {
  using What = GroupTold::What;
  switch (what) {
    case What::kMessage:
      return "delivered";
    case What::kView:
      return "a view";
    case What::kSnapshot:
      return "asked for its state";
    case What::kRestored:
      return "restored";
    case What::kLost:
      return "state lost";
    case What::kEnded:
      return "out";
    case What::kLock:
      return "of a lock";
  }
  return "?";
}

[[nodiscard]] constexpr const char* word_of(GroupTold::Lock lock) {
  using Lock = GroupTold::Lock;
  switch (lock) {
    case Lock::kGranted:
      return "granted";
    case Lock::kMoved:
      return "moved";
    case Lock::kFreed:
      return "freed";
    case Lock::kQueued:
      return "queued";
    case Lock::kRefused:
      return "refused";
  }
  return "?";
}

[[nodiscard]] constexpr const char* word_of(reliability::ReceiverEvent::What what) {
  using What = reliability::ReceiverEvent::What;
  switch (what) {
    case What::kJoined:
      return "admits";
    case What::kEvictedLag:
      return "evicts for its lag";
    case What::kEvictedSilent:
      return "evicts for its silence";
    case What::kOnTrial:
      return "puts on trial";
    case What::kRefused:
      return "refuses";
    case What::kRestarted:
      return "sees the restart of";
    case What::kLeft:
      return "sees off";
  }
  return "?";
}

}  // namespace lambdacast::sim
