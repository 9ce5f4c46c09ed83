// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/nack_delay.h"

#include <algorithm>

namespace lambdacast::reliability {

NackDelay::NackDelay(const ReliabilityConfig& config, const PeerStreams& streams)
    : nack_delay_ns_(config.nack_delay_ns),
      nack_backoff_ns_(config.nack_backoff_ns),
      own_hash_(name_hash(config.self)),
      streams_(streams),
      random_(config.seed),
      senders_(config.max_peers, Sender{.common_nack_ns = std::vector<uint64_t>(config.max_peers),
                                        .designated = {}}) {}

// At once, unless others were chosen to ask. They have the time that a NACK needs to get here; more
// if they had asked for something else just before and may not ask again for a round trip, which
// we may hear only after the gap was revealed.
uint64_t NackDelay::among_many_ns(size_t sender, uint64_t position, uint64_t at_once_ns,
                                  const RoundTrip& round_trip) {
  Sender& about = senders_[sender];
  if (const uint64_t block = position / kAskerBlock; about.block != block) {
    about.block = block;
    choose(sender, position);
  }
  if (about.designated.include(asker_rank(own_hash_, streams_[sender].hash, position)))
    return at_once_ns;
  const uint64_t rtt_ns = round_trip.smoothed_ns();
  const uint64_t wait_ns = listening_ns(rtt_ns, round_trip.variation_ns());
  const uint64_t asked_ns =
      about.designated.all_asked_ns([&](uint16_t peer) { return about.common_nack_ns[peer]; });
  const uint64_t free_ns = std::min(asked_ns, at_once_ns + wait_ns) + rtt_ns / 2;
  return std::max(at_once_ns, asked_ns == 0 ? 0 : free_ns) + wait_ns;
}

void NackDelay::choose(size_t sender, uint64_t position) {
  DesignatedNackers& designated = senders_[sender].designated;
  designated.clear();
  for (const uint16_t peer : streams_.known()) {
    if (peer == sender || !streams_.present(streams_[peer])) continue;
    designated.consider(asker_rank(streams_[peer].hash, streams_[sender].hash, position), peer);
  }
}

}  // namespace lambdacast::reliability
