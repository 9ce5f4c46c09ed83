// SPDX-License-Identifier: BSD-3-Clause
// What an operator may choose about reliable multicast. Times in nanoseconds of the endpoint's own
// clock; windows in packets, powers of two.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/control/control.h"

namespace lambdacast::reliability {

// What a sender does about a receiver that holds its window back.
enum class SlowReceiver : uint8_t {
  kPace,   // follows it, until it has been silent for suspect_after
  kEvict,  // cuts it off after evict_lag, and tells it
};

// Where a newcomer enters a sender's stream.
enum class LateJoin : uint8_t {
  kNow,       // with the first packet sent after it was admitted
  kRetained,  // with the oldest packet the sender still has; stable ones are kept for that
};

struct ReliabilityConfig {
  // The composer fills in these six.
  wire::StreamName self;              // of this endpoint
  size_t max_peers = 0;               // entries of the peer table
  uint64_t first_rel_seq = 0;         // of the last one before the stream begins
  uint64_t seed = 0;                  // of the NACK back-off
  uint16_t path_mtu = 0;              // RoCE payload that it sends and takes; 0: not said
  uint32_t frame_overhead_bytes = 0;  // of its frames, around the RoCE payload

  // Sending.
  uint32_t transmit_window_pkts = 1024;          // retained at most, at least the peers' window
  uint64_t transmit_window_bytes = 64ull << 20;  // of retained frames, at most
  uint64_t in_flight_pkts = 512;                 // beyond what all have heard of, at most
  uint64_t retain_ns = 10'000'000'000;           // at most, stable or not
  uint64_t heartbeat_max_ns = 10'000'000;        // the first one comes a round trip after a packet
  uint32_t repair_share_percent = 50;            // of the frames while data waits, 1 .. 99
  SlowReceiver slow_receiver = SlowReceiver::kPace;
  uint64_t evict_lag_ns = 50'000'000;
  LateJoin late_join = LateJoin::kNow;

  // Receiving.
  uint32_t receive_window_pkts = 1024;          // positions of each stream
  uint32_t hold_pkts = 1024;                    // out of order, of all streams together
  uint64_t status_ns = 20'000;                  // at most one status in this time
  uint64_t status_max_ns = 10'000'000;          // at least one, while peers are known
  uint64_t nack_delay_ns = 0;                   // reordering to expect before a gap is a loss
  uint64_t nack_backoff_ns = 0;                 // RFC 5401's, for networks with many receivers
  uint64_t repair_deadline_ns = 5'000'000'000;  // a gap older than this is lost

  // Both.
  uint64_t suspect_after_ns = 2'000'000'000;  // of silence; below repair_deadline
  uint64_t initial_rtt_ns = 100'000;          // until one has been measured
};

// The least time between two statuses of a receiver. It grows with the number of peers, so that the
// statuses that an endpoint hears in a time stay the same from eight peers on.
inline uint64_t status_interval_ns(uint64_t status_ns, size_t peers) {
  constexpr size_t kPeersAtFullPace = 8;
  return status_ns * (1 + peers / kPeersAtFullPace);
}

}  // namespace lambdacast::reliability
