// SPDX-License-Identifier: BSD-3-Clause
// Mutants of lib/clock_sync: the shipped sources with tests/sim/patches/clocks_*.patch applied,
// which break one rule if it is named here. Without a name they are what ships. One program has
// them all, for each copy of a source costs CI a compilation.
#pragma once

namespace lambdacast::sim {

enum class ClockMutant {
  kNone,
  kEchoesBeforeAChild,
  kSecondArmOfTheSameChild,
  kResultNotPassedOn,
  kOldRootStays,
  kWaitsForTheDead,
  kKeepsWhatWasDue,         // of a tree that is in force no longer
  kGenerationsOfNoAccount,  // the earliest flood is in force, be it of the past
  kAgeForgotten,            // of a wave that has come
  kGenerationNotRaised,     // by a flood
  kPatientForEver,          // with a neighbour who owes an echo
  kSilenceOfNoAccount,      // probes without an answer
  kHopsForgotten,           // of a wave that is passed on
  kUnpaced,
};

inline ClockMutant clock_mutant = ClockMutant::kNone;
[[nodiscard]] inline bool mutated(ClockMutant mutant) { return clock_mutant == mutant; }

}  // namespace lambdacast::sim
