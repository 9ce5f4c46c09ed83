// SPDX-License-Identifier: BSD-3-Clause
// Events of an endpoint's share, and of what it sees of the other members.
#pragma once

#include <cstdint>

namespace lambdacast::node {

struct RateEvent {
  enum class What : uint8_t {
    kLeaseOver,    // no quorum has renewed this endpoint's share: it sends at the outside rate
    kLeaseBack,    // it has its share again
    kOverShare,    // the peer sends more than its share, `bps`
    kWithinShare,  // not any more
    kSilent,       // the peer is in the view and does not announce what it needs and takes
    kCapacity,     // the peer takes `bps` now; 0: no limit
  };
  static constexpr uint16_t kSelf = 0xffff;

  What what = What::kLeaseOver;
  uint16_t peer = kSelf;
  uint64_t bps = 0;
};

}  // namespace lambdacast::node
