// SPDX-License-Identifier: BSD-3-Clause
// The options of `lambdacast-bench loss`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "pace.h"
#include "qos_options.h"

namespace CLI {
class App;
}

namespace lambdacast::bench {

struct LossOptions {
  std::string config_file;          // real ports or a rack of one's own; empty: an embedded fabric
  uint32_t nodes = 4;               // endpoints on the embedded fabric
  bool one_sender = false;          // only node 0 sends; else all
  uint64_t packets = 10'000'000;    // all senders together; 0: no limit but seconds
  double seconds = 0;               // 0: no limit but packets
  uint32_t payload_bytes = 64;      // the whole RoCE payload, transport header included
  uint64_t psn_start = 0;           // first frame sequence; its low 24 bits are the first PSN
  std::optional<uint32_t> drop_at;  // which; nothing: every one
  std::optional<uint32_t> slow_at;  // a receiver whose application is too slow
  uint64_t slow_pps = 100'000;      // messages a second it takes
  std::vector<uint32_t> lcores = {0, 1};  // nodes are spread over them, neighbours together
  uint32_t slots = 4096;                  // of each ring of the embedded fabric
  QosOptions qos;
  Pace pace;
  std::string json;  // file, "-" for standard output, empty for none
};

// Adds the options to a subcommand; they are in `options` once the command line has been parsed.
void add_loss_options(CLI::App& command, LossOptions& options);

// One sentence about options that do not go together, or nothing.
[[nodiscard]] std::string check(const LossOptions& options);

// The configuration that the options describe, or its problems, one a line.
[[nodiscard]] tl::expected<config::Config, std::string> rack_of(const LossOptions& options);

}  // namespace lambdacast::bench
