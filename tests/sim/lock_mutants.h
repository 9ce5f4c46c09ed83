// SPDX-License-Identifier: BSD-3-Clause
// Mutants of the locks of groups and of calls to them: the shipped sources with
// tests/sim/patches/locks_*.patch applied, which break one rule if it is named here. Without a name
// they are what ships. One program has them all, for each copy of a source costs CI a compilation.
#pragma once

namespace lambdacast::sim {

enum class LockMutant {
  kNone,
  kQueueByRank,             // the lowest rank is next, not who waits longest
  kKeptPastADeparture,      // a view without the holder moves nothing
  kReleasedWithoutToken,    // whoever says so
  kOldTokenInANewView,      // the next holder gets the token of the departed one
  kGrantedWithoutState,     // whoever asks
  kHeldOnesUntold,          // a newcomer of a group does not hear who holds its locks
  kQueueKeptAtALeave,       // who has left waits on
  kEverybodyAnswers,        // members answer that are not asked
  kSilentWhenItLeaves,      // a member that leaves declines nothing
  kSilentWithoutTicket,     // nor does one that has no ticket left
  kDepartedUntold,          // a caller forgets that it has asked who departs
  kDepartedAnswersLost,     // what somebody sent before it departed is taken for nobody's
  kEndsWithTheFirst,        // one answer is as good as all
  kRepetitionExecuted,      // a copy of what has had its place is executed
  kRefusalTakesNoNumber,    // and so is a copy of what was refused
  kLastUseLeftOut,          // a newcomer of a group pushes out another session than the others
  kSessionsLeftOut,         // it does not hear of sessions at all
  kFloorPastACall,          // the floor passes calls that have not ended
  kKeepersAnswer,           // what is kept is said while the holder that was asked is there
  kOneRefusalForAll,        // a call has failed once one entry has refused a copy of it
  kToldBeforeLocksMove,     // groups hear of a view before their locks have moved with it
  kHolderAsOfTheAnswer,     // who was asked declines once it holds the lock no more
  kStatusAtTheMark,         // a request is delivered once it is in the order, whatever its level
  kGrantedThoughSuspended,  // a group with too few members grants what is free
  kWithheldForEver,         // and gives nothing to those who wait once it goes on
  kNoForExpired,            // an expired request is taken for one that was never executed
};

inline LockMutant lock_mutant = LockMutant::kNone;
[[nodiscard]] inline bool mutated(LockMutant mutant) { return lock_mutant == mutant; }

}  // namespace lambdacast::sim
