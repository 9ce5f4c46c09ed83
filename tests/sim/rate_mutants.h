// SPDX-License-Identifier: BSD-3-Clause
// Mutants of the rate protocol that no man in the middle can make: the shipped sources with
// tests/sim/patches/rates_*.patch applied, which break one rule if it is named here. Without a name
// they are what ships. One program has them all, for each copy of a source costs CI a compilation.
#pragma once

namespace lambdacast::sim {

enum class RateMutant {
  kNone,
  kFallsWhenSettled,         // acknowledges a mark before its share has fallen
  kOneAcknowledgementShort,  // rises when all members but one have acknowledged
  kNeverRises,
  kNewcomerCountsZeros,        // takes who has not announced anything for one that needs nothing
  kNothingKeptForTheDeparted,  // who may not know that they are out
  kNewestShareForTheDeparted,  // which they may not have heard of
  kKeptForNoTime,
  kKeptForEver,
  kLeaseWithoutEnd,
  kLivedTime,      // a pause does not count for the lease
  kHearsThePast,   // what waited in the port during a pause renews it
  kHearsOldWords,  // what waits in a port that is never emptied renews it
  kRepairsUnpaid,  // beside the share
  kDataUnpaid,
  kControlUnpaid,  // relays, too
};

inline RateMutant rate_mutant = RateMutant::kNone;
[[nodiscard]] inline bool mutated(RateMutant mutant) { return rate_mutant == mutant; }

}  // namespace lambdacast::sim
