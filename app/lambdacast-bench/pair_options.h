// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks between two endpoints have in common: who they are, and where the results go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "qos_options.h"

namespace CLI {
class App;
}

namespace lambdacast::bench {

// Nodes of the rack, and the groups they publish to.
inline constexpr uint32_t kSenderNode = 0;
inline constexpr uint32_t kReceiverNode = 1;
inline constexpr uint32_t kMessageGroup = 1;
inline constexpr uint32_t kAnswerGroup = 2;

struct PairOptions {
  std::string config_file;  // the first two endpoints of a file; empty: an embedded fabric
  // Of the embedded fabric only:
  std::vector<uint32_t> lcores = {0, 1};  // the sender's and the receiver's
  config::IdlePolicy idle = config::IdlePolicy::kSpin;
  wire::IcrcMode icrc = wire::IcrcMode::kFull;  // at both ends
  std::optional<uint32_t> slots;                // of each ring; nothing: slots_for()
  QosOptions qos;                               // losses at the receiver only

  std::string json;       // file, "-" for standard output, empty for none
  std::string histogram;  // file, empty for none
  std::string plot;       // file, empty for none
};

// what: of the histogram and the plot.
void add_pair_options(CLI::App& command, PairOptions& options, const std::string& histogram_of,
                      const std::string& plot_of);

// One sentence about options that do not go together, or nothing.
[[nodiscard]] std::string check(const PairOptions& options);

// A ring is written and read from end to end, whatever little of it is in flight: 4 MiB at most for
// frames that carry so much, or it pushes all else out of the caches. 4096 for a message of several
// packets, which goes out past its sender's credit.
[[nodiscard]] uint32_t slots_for(uint32_t payload_bytes);

// The two endpoints, or the problems, one a line. `payload_bytes`: in a packet, of the application.
[[nodiscard]] tl::expected<config::Config, std::string> rack_of(const PairOptions& options,
                                                                uint32_t payload_bytes);

}  // namespace lambdacast::bench
