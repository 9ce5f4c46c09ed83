// SPDX-License-Identifier: BSD-3-Clause
// Mutants of the two algorithms that run free, in one program: lib/congest's headers with
// patches/wave.patch and patches/recovery_bitmaps.patch. Within 2 000 small seeds each is found,
// and without a mutant nothing is.
#include <gtest/gtest.h>

#include <exception>

#include "seeds.h"

namespace lambdacast::congest {
namespace {

using namespace sim::fabrics;  // of this file alone

template <typename Algorithm>
std::string found(uint64_t seeds) {
  const auto differs = [](const LiveGraph& live, const typename Algorithm::Config& config,
                          const SynchronousRun<Algorithm>& reference, uint64_t seed) {
    return difference<Engine<Algorithm, FreeRunning, StoredFrames>>(
        live, reference, config, [](NodeId) { return FreeRunning::Config(); },
        random_setting(seed));
  };
  try {
    return first_fault<Algorithm>(seeds, 9, differs);
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(FreeMutants, waves_with_a_rule_broken__expect_each_found) {
  using enum Wave::Mutant;
  EXPECT_EQ(found<Wave>(300), "");
  for (const Wave::Mutant mutant : {kEchoesTooEarly, kEchoOfThePast, kEndKept, kDepthForgotten}) {
    Wave::mutant = mutant;
    EXPECT_NE(found<Wave>(2000), "") << static_cast<int>(mutant);
  }
  Wave::mutant = kShipped;
}

TEST(FreeMutants, bitmaps_with_a_rule_broken__expect_each_found) {
  using enum RecoveryBitmaps::Mutant;
  EXPECT_EQ(found<RecoveryBitmaps>(300), "");
  for (const RecoveryBitmaps::Mutant mutant : {kWithoutOwn, kNumberedOneOff, kPieceBeforeAChild}) {
    RecoveryBitmaps::mutant = mutant;
    EXPECT_NE(found<RecoveryBitmaps>(2000), "") << static_cast<int>(mutant);
  }
  RecoveryBitmaps::mutant = kShipped;
}

}  // namespace
}  // namespace lambdacast::congest
