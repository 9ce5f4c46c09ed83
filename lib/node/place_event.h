// SPDX-License-Identifier: BSD-3-Clause
// What became of a peer that found the peer table full.
#pragma once

#include <cstddef>
#include <cstdint>

#include "node/peer_table.h"

namespace lambdacast::node {

struct PlaceEvent {
  PeerName newcomer;
  bool refused = false;  // every place has a peer that is not gone; what follows says nothing
  PeerName before;       // whose place it takes
  bool left = false;     // that one has left; else it was silent for
  uint64_t silent_ns = 0;
};

}  // namespace lambdacast::node
