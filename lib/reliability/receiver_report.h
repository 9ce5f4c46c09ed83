// SPDX-License-Identifier: BSD-3-Clause
// Figures of a receiving half, in all and for a peer's stream.
#pragma once

#include <array>
#include <cstdint>

#include "reliability/loss_reason.h"

namespace lambdacast::reliability {

// One peer's stream; a copy.
struct ReceiverReport {
  bool known = false;
  bool open = false;
  bool left = false;        // the sender has, in order
  uint64_t opened_at = 0;   // the first position
  uint64_t contiguous = 0;  // all up to here came or is declared lost
  uint64_t missing = 0;     // at the moment
  uint32_t kept = 0;
  uint32_t room = 0;
  uint64_t rtt_ns = 0;
  uint64_t rtt_variation_ns = 0;
  uint64_t rtt_samples = 0;
  uint64_t first_losses = 0;
  uint64_t lost_by_all = 0;  // as the sender says: at its side
  uint64_t repaired = 0;     // positions that were missing and came
  uint64_t duplicates = 0;   // repairs among them that others wanted
  uint64_t nacks_sent = 0;
  uint64_t nacks_heard = 0;       // of others, about this stream
  uint64_t nacks_suppressed = 0;  // positions that another one's NACK spared us asking for
  uint64_t evictions = 0;
  uint16_t refused_path_mtu = 0;  // of a sender that has refused this receiver; 0: none has
  uint64_t silences = 0;          // times that nothing was heard of the peer for suspect_after
  std::array<uint64_t, kLossReasons> lost{};  // positions declared lost
};

struct ReceiverCounters {
  uint64_t statuses_sent = 0;
  uint64_t nacks_sent = 0;
  uint64_t evictions = 0;  // by senders, of their streams
  uint64_t refusals = 0;   // by senders whose packets are too long to be taken here
  uint64_t starved = 0;    // polls that came a heartbeat late, or later
};

}  // namespace lambdacast::reliability
