// SPDX-License-Identifier: BSD-3-Clause
// What a latency run found, and how it is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/histogram.h"
#include "latency_options.h"
#include "plot.h"
#include "rack/loss_account.h"

namespace lambdacast::bench {

// One way of sending: all its slices together. Times in nanoseconds.
struct LatencySeries {
  base::Histogram sent_to_delivered;
  base::Histogram due_to_delivered;
  uint64_t sent = 0;
  uint64_t repeated = 0;
  uint64_t strange = 0;
  uint64_t negative = 0;

  [[nodiscard]] uint64_t received() const { return sent_to_delivered.count(); }
  [[nodiscard]] uint64_t lost() const { return sent > received() ? sent - received() : 0; }
  // Every message sent was received once, or is missing; none came from nowhere, or too early.
  [[nodiscard]] bool sound() const {
    return (received() != 0 || sent == 0) && received() <= sent && repeated == 0 && strange == 0 &&
           negative == 0;
  }
};

struct LatencyReport {
  LatencySeries full;
  std::optional<LatencySeries> bare;  // none: not asked for, or stages on several lcores
  std::optional<double> max_rate;     // messages a second, if the rate follows from it
  double rate = 0;                    // messages a second, as scheduled
  // Of the whole run, at both ends: floods, warm-up, and bare frames that overran a ring included.
  rack::LossesByReason lost_packets;
};

[[nodiscard]] std::string text_of(const LatencyReport& report, const LatencyOptions& options);
[[nodiscard]] std::string json_of(const LatencyReport& report, const LatencyOptions& options);
[[nodiscard]] Plot plot_of(const LatencyReport& report, const LatencyOptions& options);

}  // namespace lambdacast::bench
