// SPDX-License-Identifier: BSD-3-Clause
// A place of the peer table on its way from a peer that is gone to a newcomer. The receive stage
// knows the newcomers and has the table, the reliability stage knows who is gone: the two take
// turns, each step has one of them that may leave it, and nothing is shared but the step and the
// offer that comes with it.
//
//   step         whose turn    what that one does                                     goes to
//   kIdle        receive       a newcomer found the table full: it asks               kWanted
//   kWanted      reliability   the peer gone longest; nobody is                       kOffered;
//   kNone kOffered     receive       withdraws its place: frames of the peer judged so
//                              far are in the link                                    kWithdrawn
//   kWithdrawn   reliability   has judged those; the peer is gone still, or not       kGranted;
//   kIdle kGranted     receive       gives the place to the newcomer, unless the peer was
//                              heard meanwhile and has it again                       kIdle
//   kNone        receive       tells that the newcomer is refused                     kIdle
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cacheline.h"
#include "node/packet_info.h"

namespace lambdacast::node {

struct PlaceOffer {
  uint16_t peer = kNoPeer;
  bool left = false;       // the peer has left in order
  uint64_t silent_ns = 0;  // how long nothing was heard of it, in uptime
};

class alignas(base::kCacheLinePairBytes) PlaceHandover {
 public:
  enum class Step : uint8_t { kIdle, kWanted, kOffered, kWithdrawn, kGranted, kNone };

  [[nodiscard]] Step step() const { return step_.load(std::memory_order_acquire); }
  // Called by whoever's turn it is.
  void go(Step step) { step_.store(step, std::memory_order_release); }
  // Read and written by whoever's turn it is.
  PlaceOffer offer;

 private:
  std::atomic<Step> step_{Step::kIdle};
};

}  // namespace lambdacast::node
