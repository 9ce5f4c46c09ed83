// SPDX-License-Identifier: BSD-3-Clause
// What a throughput run found, and how it is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/histogram.h"
#include "plot.h"
#include "rack/loss_account.h"
#include "throughput_options.h"

namespace lambdacast::bench {

struct ThroughputInterval {
  double end_s = 0;  // from when measuring began
  double messages_per_second = 0;
  double goodput_bps = 0;
};

struct ThroughputReport {
  // Measured:
  double elapsed_s = 0;
  uint64_t messages = 0;      // delivered to the receiver's application
  uint64_t bytes = 0;         // of the application, in them
  uint64_t packets = 0;       // that brought them
  double sent_elapsed_s = 0;  // the sender is looked at by itself
  uint64_t sent_messages = 0;
  uint64_t sent_packets = 0;
  std::vector<ThroughputInterval> intervals;
  // Of the whole run, warm-up and what was on its way at the end included:
  uint64_t total_sent_messages = 0;
  uint64_t total_messages = 0;
  uint64_t wrong_content = 0;
  uint64_t window_timeouts = 0;
  rack::LossesByReason lost_packets;

  [[nodiscard]] uint64_t lost_messages() const {
    return total_sent_messages > total_messages ? total_sent_messages - total_messages : 0;
  }
  [[nodiscard]] bool sound() const {
    return (total_messages != 0 || total_sent_messages == 0) &&
           total_messages <= total_sent_messages && wrong_content == 0;
  }
};

[[nodiscard]] std::string text_of(const ThroughputReport& report, const ThroughputOptions& options);
[[nodiscard]] std::string json_of(const ThroughputReport& report, const ThroughputOptions& options);
[[nodiscard]] Plot plot_of(const ThroughputReport& report, const ThroughputOptions& options);

// Messages a second, an interval each.
[[nodiscard]] base::Histogram rates_of(const ThroughputReport& report);

}  // namespace lambdacast::bench
