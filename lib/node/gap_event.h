// SPDX-License-Identifier: BSD-3-Clause
// Packets that were declared lost, told in the place where they would have been delivered. (What
// Endpoint::take_events tells besides has a count of 0: the sender has cut this receiver off, or
// refused it.)
#pragma once

#include <cstdint>

#include "reliability/loss_reason.h"

namespace lambdacast::node {

struct GapEvent {
  uint16_t peer = 0;         // PeerTable's index of the sender; kNoPeer: this endpoint itself
  uint32_t incarnation = 0;  // of the sender
  uint64_t first_rel_seq = 0;
  uint64_t count = 0;
  reliability::LossReason reason = reliability::LossReason::kNone;
  uint16_t path_mtu = 0;  // of a sender that has refused this receiver
};

}  // namespace lambdacast::node
