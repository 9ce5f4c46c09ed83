// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench latency`: how long a message takes, and how long of it the bare ports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../../command_line.h"
#include "../../plot.h"
#include "../harness/figures.h"
#include "../harness/rack_plan.h"
#include "base/histogram.h"
#include "rack/loss_account.h"

namespace lambdacast::bench {

enum class LatencyMode : uint8_t {
  kOneWay,     // from the sender's publish to the receiver's delivery
  kRoundTrip,  // to the sender's own delivery of the receiver's answer
};
[[nodiscard]] const char* name(LatencyMode mode);

struct LatencyOptions {
  PairOptions pair;
  LatencyMode mode = LatencyMode::kOneWay;
  uint32_t payload_bytes = 64;  // of the application, in each message
  uint64_t count = 100'000;     // messages
  uint64_t rate = 10'000;       // messages a second
  bool half_max = false;        // in place of rate: half of what is measured first
  uint64_t warm_up = 2'000;     // messages sent before and not recorded
  bool bare = true;             // measure the bare ports in turn with the endpoints
};
void add_options(CLI::App& command, LatencyOptions& options);
// One sentence about options that do not go together, or nothing.
[[nodiscard]] std::string check(const LatencyOptions& options);
[[nodiscard]] Planned rack_of(const LatencyOptions& options);

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
  // Losses of the whole run at both ends: floods, warm-up, and bare frames that overran a ring too.
  rack::LossesByReason lost_packets;

  [[nodiscard]] bool sound() const { return full.sound() && (!bare || bare->sound()); }
};
[[nodiscard]] Readings readings_of(const LatencyReport& report, const LatencyOptions& options);
[[nodiscard]] app::Plot plot_of(const LatencyReport& report, const LatencyOptions& options);

// The exit code: app::kExitOk only if every message was received once or is told as lost.
[[nodiscard]] int run(const app::CommandLine& line, const LatencyOptions& options);

}  // namespace lambdacast::bench
