// SPDX-License-Identifier: BSD-3-Clause
// The next step that a synchroniser has a switch take.
#pragma once

#include <cstdint>

namespace lambdacast::congest {

enum class Step : uint8_t {
  kWait,
  kTellParent,  // that it and all below it have completed the round
  kStep,        // the next round, of which nobody else is told
  kNextRound,
  kNextPhase,
  kEnd,
};

}  // namespace lambdacast::congest
