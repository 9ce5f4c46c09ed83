// SPDX-License-Identifier: BSD-3-Clause
// How long a gap waits before this receiver asks for it: the delay strategy of LossDetector. Where
// a transmitter itself has lost a packet all receivers miss it, and few of them should ask
// (designated_nackers.h).
//
// Times in nanoseconds of the endpoint's clock. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "reliability/designated_nackers.h"
#include "reliability/nack_backoff.h"
#include "reliability/peer_streams.h"
#include "reliability/reliability_config.h"
#include "reliability/round_trip.h"

namespace lambdacast::reliability {

class NackDelay {
 public:
  NackDelay(const ReliabilityConfig& config, const PeerStreams& streams);

  // RFC 5401's random wait, drawn for gaps that are revealed together; 0 unless configured.
  [[nodiscard]] uint64_t draw_backoff_ns() {
    return random_backoff_ns(nack_backoff_ns_, streams_.known().size(), random_());
  }
  // When to ask for a position of this sender that nobody has asked for yet. The answer is the same
  // for all positions of a block (kAskerBlock) that were revealed together.
  [[nodiscard]] uint64_t first_ask_ns(size_t sender, uint64_t position, uint64_t revealed_ns,
                                      const RoundTrip& round_trip) {
    const uint64_t at_once_ns = revealed_ns + nack_delay_ns_;
    if (streams_.known().size() <= kFirstAskers) return at_once_ns;
    return among_many_ns(sender, position, at_once_ns, round_trip);
  }
  // A peer has asked for something of this sender that we miss as well.
  void note_common_nack(size_t sender, size_t asker, uint64_t now_ns) {
    senders_[sender].common_nack_ns[asker] = now_ns;
  }
  // Peers may have come or gone: designated NACKers are chosen anew.
  void choose_anew() {
    for (Sender& sender : senders_) sender.block = kNoBlock;
  }

 private:
  static constexpr uint64_t kNoBlock = ~uint64_t{0};

  struct Sender {
    // By peer: when we heard its newest NACK for something that we missed as well; 0: never.
    std::vector<uint64_t> common_nack_ns;
    uint64_t block = kNoBlock;  // that `designated` is about
    DesignatedNackers designated;
  };
  [[nodiscard]] uint64_t among_many_ns(size_t sender, uint64_t position, uint64_t at_once_ns,
                                       const RoundTrip& round_trip);
  void choose(size_t sender, uint64_t position);

  const uint64_t nack_delay_ns_;
  const uint64_t nack_backoff_ns_;
  const uint64_t own_hash_;
  const PeerStreams& streams_;
  base::SplitMix64 random_;
  std::vector<Sender> senders_;  // by peer
};

}  // namespace lambdacast::reliability
