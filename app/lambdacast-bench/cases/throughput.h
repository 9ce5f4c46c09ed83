// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench throughput`: how much gets from one endpoint to another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../command_line.h"
#include "../../plot.h"
#include "../harness/figures.h"
#include "../harness/rack_plan.h"
#include "base/histogram.h"
#include "rack/loss_account.h"

namespace lambdacast::bench {

// What a sender writes into a message that it has been lent.
enum class Fill : uint8_t {
  kEach,   // all its bytes, every time; the receiver checks them
  kNever,  // nothing: what happens to lie there goes out
};
[[nodiscard]] const char* name(Fill fill);

struct ThroughputOptions {
  PairOptions pair;
  uint32_t payload_bytes = 64;  // of the application, in each message
  double seconds = 3;           // measured; 0: until count
  uint64_t count = 0;           // messages measured; 0: until seconds
  double warm_up_s = 0.2;       // before, not measured
  Fill fill = Fill::kEach;
  bool coalesce = false;                // messages share packets
  std::optional<uint32_t> coalesce_us;  // at most so long; none: as the endpoint is configured
  Pace pace;

  [[nodiscard]] std::string coalesce_text() const;
};
void add_options(CLI::App& command, ThroughputOptions& options);
// One sentence about options that do not go together, or nothing.
[[nodiscard]] std::string check(const ThroughputOptions& options);
[[nodiscard]] Planned rack_of(const ThroughputOptions& options);

struct ThroughputInterval {
  double end_s = 0;  // from when measuring began
  double messages_per_second = 0;
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

  [[nodiscard]] double goodput_bps() const { return per_second(bytes * 8, elapsed_s); }
  [[nodiscard]] uint64_t lost_messages() const {
    return total_sent_messages > total_messages ? total_sent_messages - total_messages : 0;
  }
  [[nodiscard]] bool sound() const {
    return (total_messages != 0 || total_sent_messages == 0) &&
           total_messages <= total_sent_messages && wrong_content == 0;
  }
};
[[nodiscard]] Readings readings_of(const ThroughputReport& report,
                                   const ThroughputOptions& options);
[[nodiscard]] app::Plot plot_of(const ThroughputReport& report, const ThroughputOptions& options);
// Messages a second, an interval each.
[[nodiscard]] base::Histogram rates_of(const ThroughputReport& report);

// The exit code: app::kExitOk unless messages came that were not sent, or none at all.
[[nodiscard]] int run(const app::CommandLine& line, const ThroughputOptions& options);

}  // namespace lambdacast::bench
