// SPDX-License-Identifier: BSD-3-Clause
// Mutants of the repair of multicast trees: the shipped sources with
// tests/sim/patches/trees_*.patch applied, which break one rule if it is named here. Without a name
// they are what ships. One program has them all, for each copy of a source costs CI a compilation.
#pragma once

namespace lambdacast::sim {

enum class TreeMutant {
  kNone,
  kOwnLeftOut,            // a switch's own members are in no bitmap
  kGenerationNotRaised,   // by a flood
  kForgetsTheOthers,      // a flood names its detector's neighbours alone
  kJoinsWithoutItsNews,   // a flood is followed that does not name a silent neighbour
  kEchoBeforeAChild,      // bitmaps go up before those of a child have come
  kAboveWithoutSiblings,  // a child is told of members here and above, and not below another child
  kAboveOfItself,         // a child is told of its own members as of others
  kNotSentAgain,          // what is lost stays lost
  kNamesTheOldAgain,      // a flood names what a controller's trees do not pass through any more
  kHangsOnTheDead,        // the recovery tree loses a father or a child, and nobody floods
  kUnpaced,
  kNextRoundTakenAtOnce,  // what a neighbour says of its next round counts in this one
  kRoundsOfNoAccount,     // rounds begin without the neighbours' marks
  kOneWayAlone,           // of several shortest ways to a source one is known
  kNobodyCounts,          // parents are chosen by their numbers
  kFarthestOfTheRoot,     // nobody tells how far its receivers are
};

inline TreeMutant tree_mutant = TreeMutant::kNone;
[[nodiscard]] inline bool mutated(TreeMutant mutant) { return tree_mutant == mutant; }

}  // namespace lambdacast::sim
