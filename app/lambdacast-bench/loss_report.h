// SPDX-License-Identifier: BSD-3-Clause
// What a loss run found, and how it is told.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/histogram.h"
#include "loss_options.h"
#include "rack/loss_account.h"

namespace lambdacast::bench {

// Of recoverable messages at one node, as its application counted them: what was handed to it, what
// came twice, or before an earlier one where that counts, and what gap events told of instead.
struct MessageCounts {
  uint64_t delivered = 0;
  uint64_t twice = 0;
  uint64_t out_of_order = 0;
  uint64_t declared_lost = 0;
};

// What reliable multicast did, over all nodes.
struct RecoverableReport {
  uint64_t delivered = 0;  // messages
  uint64_t twice = 0;
  uint64_t out_of_order = 0;
  uint64_t declared_lost = 0;
  uint64_t first_losses = 0;
  uint64_t repaired = 0;
  uint64_t duplicates = 0;  // repairs for others
  uint64_t nacks = 0;
  uint64_t repairs = 0;
  uint64_t held_off = 0;
  uint64_t statuses = 0;
  uint64_t heartbeats = 0;
  uint64_t window_closed = 0;
  base::Histogram repair_ns;  // from when a gap was seen until its packet was delivered
  base::Histogram round_trips_ns;

  void add(const node::NodeReport& stages, const MessageCounts& messages);
};

struct LossReport {
  RecoverableReport recoverable;
  uint64_t published = 0;          // messages, over all nodes
  std::vector<std::string> names;  // of the nodes
  std::vector<rack::ReceiverAccount> receivers;
  std::vector<rack::TransmitterAccount> transmitters;
  // By sequence: packets its peers numbered that it has not seen. The second, independent account.
  std::vector<uint64_t> missing;
  uint64_t psn_wraps_sent = 0;
  uint64_t psn_wraps_seen = 0;  // by all receivers together
  uint64_t psn_mismatches = 0;
  uint64_t wrong_content = 0;
  uint64_t window_timeouts = 0;
  uint64_t wire_bytes_per_packet = 0;
  double elapsed_s = 0;

  [[nodiscard]] uint64_t sent() const;
  [[nodiscard]] uint64_t expected() const;  // sent x receivers
  [[nodiscard]] uint64_t delivered() const;
  [[nodiscard]] uint64_t lost() const;
  [[nodiscard]] uint64_t control_lost() const;  // frames, at all receivers
  [[nodiscard]] uint64_t duplicates() const;
  [[nodiscard]] uint64_t corrupted() const;
  [[nodiscard]] double loss_ratio() const;
  [[nodiscard]] double loss_ratio_upper95() const;
  // sent x receivers (and copies the fabric made) = delivered + duplicates + lost by reason, at
  // every receiver; and the sequences tell the same losses.
  [[nodiscard]] bool identity_holds() const;
  [[nodiscard]] bool sound(const LossOptions& options) const {
    return identity_holds() && (!options.qos.recoverable() || all_delivered());
  }
  // Of recoverable messages: each at every receiver, or told of as lost.
  [[nodiscard]] bool all_delivered() const;
  [[nodiscard]] bool losses_agree(size_t receiver) const;  // by sequence and by counter
};

[[nodiscard]] std::string text_of(const LossReport& report, const LossOptions& options);
[[nodiscard]] std::string json_of(const LossReport& report, const LossOptions& options);

// Upper end of the one-sided 95 % confidence interval of a probability after `events` in `trials`
// (Poisson; for no events 3.0 / trials, the rule of three). 0 trials: 1.
[[nodiscard]] double upper95(uint64_t events, uint64_t trials);

}  // namespace lambdacast::bench
