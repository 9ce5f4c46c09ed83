// SPDX-License-Identifier: BSD-3-Clause
// What a synchroniser has a switch do next.
#pragma once

#include <cstdint>

namespace lambdacast::congest {

enum class Step : uint8_t {
  kWait,
  kTellParent,  // that it and all below it have completed the round
  kNextRound,
  kNextPhase,
  kEnd,
};

}  // namespace lambdacast::congest
