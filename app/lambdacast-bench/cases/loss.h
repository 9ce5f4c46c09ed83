// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench loss`: sends, and accounts for every packet at every receiver. And
// `lambdacast-bench repair`: the same run, judged by how long a receiver waits for what it missed,
// from the arrival of the frame that reveals a gap until the repaired packet is handed on, in units
// of the round trip that the endpoints measured under the same load.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "../../command_line.h"
#include "../harness/figures.h"
#include "../harness/rack_plan.h"
#include "base/histogram.h"
#include "rack/loss_account.h"

namespace lambdacast::bench {

struct LossOptions {
  std::string config_file;  // real ports or a rack of one's own; empty: an embedded fabric
  FabricPlan fabric;
  bool one_sender = false;          // only node 0 sends; else all
  uint64_t packets = 10'000'000;    // all senders together; 0: no limit but seconds
  double seconds = 0;               // 0: no limit but packets
  uint32_t payload_bytes = 64;      // the whole RoCE payload, transport header included
  uint64_t psn_start = 0;           // first frame sequence; its low 24 bits are the first PSN
  std::optional<uint32_t> drop_at;  // which; nothing: every one
  std::optional<uint32_t> slow_at;  // a receiver whose application is too slow
  uint64_t slow_pps = 100'000;      // messages a second it takes
  QosOptions qos;
  Pace pace;
  Output output;

  [[nodiscard]] uint32_t application_bytes() const {
    return payload_bytes - wire::kTransportHeaderBytes;
  }
};
void add_options(CLI::App& command, LossOptions& options);
// One sentence about options that do not go together, or nothing.
[[nodiscard]] std::string check(const LossOptions& options);
[[nodiscard]] Planned rack_of(const LossOptions& options);

// The defaults are others.
struct RepairOptions : LossOptions {
  RepairOptions();
};
void add_options(CLI::App& command, RepairOptions& options);
[[nodiscard]] std::string check(const RepairOptions& options);

// Of recoverable messages at one node, as its application counted them: what was handed to it, what
// came twice, or before an earlier one where that counts, and what gap events told of instead.
struct MessageCounts {
  uint64_t delivered = 0;
  uint64_t twice = 0;
  uint64_t out_of_order = 0;
  uint64_t declared_lost = 0;
};

// What reliable multicast did, over all nodes.
struct RecoverableReport : MessageCounts {
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
[[nodiscard]] Readings readings_of(const LossReport& report, const LossOptions& options);
[[nodiscard]] Readings readings_of(const LossReport& report, const RepairOptions& options);

// Upper end of the one-sided 95 % confidence interval of a probability after `events` in `trials`
// (Poisson; for no events 3.0 / trials, the rule of three). 0 trials: 1.
[[nodiscard]] double upper95(uint64_t events, uint64_t trials);

// The exit code: app::kExitOk only if the identity holds.
[[nodiscard]] int run(const app::CommandLine& line, const LossOptions& options);
[[nodiscard]] int run(const app::CommandLine& line, const RepairOptions& options);

}  // namespace lambdacast::bench
