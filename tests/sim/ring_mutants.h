// SPDX-License-Identifier: BSD-3-Clause
// Mutants of the token ring that no man in the middle can make: the shipped sources with
// tests/sim/patches/ring_*.patch applied, which break one rule if it is named here. Without a name
// they are what ships. One program has them all, for each copy of a source costs CI a compilation.
#pragma once

namespace lambdacast::sim {

enum class RingMutant {
  kNone,
  kPassesWhatItHeard,   // and did not apply
  kCountsTheNextSite,   // a pass acknowledges for the site to come
  kGoesOnAfterPromise,  // applies and passes
  kIgnoresEpochs,       // of passes
  kNumbersRunOn,        // from one view to the next
  kSiteBySuspicion,     // makes the pass of a site that is late
  kRestsWhileAwaited,   // a level of service is
  kRestsWhenItKnows,    // that all is stable, and the others do not
  kNeverRests,
  kForgetsMaxN,
};

inline RingMutant ring_mutant = RingMutant::kNone;
[[nodiscard]] inline bool mutated(RingMutant mutant) { return ring_mutant == mutant; }

}  // namespace lambdacast::sim
