// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm is right under which synchroniser. Alpha and Beta make rounds, so that every
// algorithm of rounds is right under both. FreeRunning makes none: an algorithm is right under it
// if what a switch does hangs on the messages that have come, not on how many rounds ago, and if
// each switch learns by a message that it has done its part. ByIteration makes none within a phase,
// and asks the same of each phase.
#pragma once

namespace lambdacast::congest {

class Wave;
class RecoveryBitmaps;
class Boruvka;

template <typename Algorithm>
inline constexpr bool kRunsFree = false;
template <>
inline constexpr bool kRunsFree<Wave> = true;
template <>
inline constexpr bool kRunsFree<RecoveryBitmaps> = true;

template <typename Algorithm>
inline constexpr bool kIterates = false;
template <>
inline constexpr bool kIterates<Boruvka> = true;

// The configuration by which an algorithm is right under ByIteration.
template <typename Algorithm>
typename Algorithm::Config by_iteration(typename Algorithm::Config config) {
  if constexpr (kIterates<Algorithm>) config.tells_all = true;
  return config;
}

template <typename Algorithm, typename Synchroniser>
inline constexpr bool kRightUnder = Synchroniser::kSteps    ? kIterates<Algorithm>
                                    : Synchroniser::kRounds ? true
                                                            : kRunsFree<Algorithm>;

}  // namespace lambdacast::congest
