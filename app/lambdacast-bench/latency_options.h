// SPDX-License-Identifier: BSD-3-Clause
// The options of `lambdacast-bench latency`.
#pragma once

#include <cstdint>
#include <string>

#include "pair_options.h"

namespace lambdacast::bench {

enum class LatencyMode : uint8_t {
  kOneWay,     // from the sender's publish to the receiver's delivery
  kRoundTrip,  // to the sender's own delivery of the receiver's answer
};

struct LatencyOptions {
  PairOptions pair;
  LatencyMode mode = LatencyMode::kOneWay;
  uint32_t payload_bytes = 64;  // of the application, in each message
  uint64_t count = 100'000;     // messages
  uint64_t rate = 10'000;       // messages a second
  bool half_max = false;        // in place of rate: half of what is measured first
  uint64_t warm_up = 2'000;     // messages sent before and not recorded
  bool bare = true;             // measure the bare ports in turn with the endpoints

  [[nodiscard]] const char* mode_text() const {
    return mode == LatencyMode::kOneWay ? "one-way" : "round-trip";
  }
};

void add_latency_options(CLI::App& command, LatencyOptions& options);

// One sentence about options that do not go together, or nothing.
[[nodiscard]] std::string check(const LatencyOptions& options);

// Sender and receiver as the options describe them, or the problems, one a line.
[[nodiscard]] tl::expected<config::Config, std::string> rack_of(const LatencyOptions& options);

}  // namespace lambdacast::bench
