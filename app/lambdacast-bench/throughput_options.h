// SPDX-License-Identifier: BSD-3-Clause
// The options of `lambdacast-bench throughput`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pace.h"
#include "pair_options.h"

namespace lambdacast::bench {

// What a sender writes into a message that it has been lent.
enum class Fill : uint8_t {
  kEach,   // all its bytes, every time; the receiver checks them
  kNever,  // nothing: what happens to lie there goes out
};

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

  [[nodiscard]] const char* fill_text() const { return fill == Fill::kEach ? "each" : "never"; }
  [[nodiscard]] std::string coalesce_text() const;
};

void add_throughput_options(CLI::App& command, ThroughputOptions& options);

// One sentence about options that do not go together, or nothing.
[[nodiscard]] std::string check(const ThroughputOptions& options);

// Sender and receiver as the options describe them, or the problems, one a line.
[[nodiscard]] tl::expected<config::Config, std::string> rack_of(const ThroughputOptions& options);

}  // namespace lambdacast::bench
