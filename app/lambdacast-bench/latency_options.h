// The options of `lambdacast-bench latency`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"

namespace CLI {
class App;
}

namespace lambdacast::app {

enum class LatencyMode : uint8_t {
  kOneWay,     // from the sender's publish to the receiver's delivery
  kRoundTrip,  // to the sender's own delivery of the receiver's answer
};

struct LatencyOptions {
  std::string config_file;  // the first two endpoints of a file; empty: an embedded fabric
  LatencyMode mode = LatencyMode::kOneWay;
  uint32_t payload_bytes = 64;            // of the application, in each message
  uint64_t count = 100'000;               // messages
  uint64_t rate = 10'000;                 // messages a second
  bool half_max = false;                  // in place of rate: half of what is measured first
  uint64_t warm_up = 2'000;               // messages sent before and not recorded
  bool bare = true;                       // measure the bare ports in turn with the endpoints
  std::vector<uint32_t> lcores = {0, 1};  // the sender's and the receiver's
  config::IdlePolicy idle = config::IdlePolicy::kSpin;
  uint32_t slots = 4096;  // of each ring of the embedded fabric
  std::string json;       // file, "-" for standard output, empty for none
  std::string histogram;  // file, empty for none
  std::string plot;       // file, empty for none

  [[nodiscard]] const char* mode_text() const {
    return mode == LatencyMode::kOneWay ? "one-way" : "round-trip";
  }
};

inline constexpr uint32_t kLatencyGroup = 1;  // messages
inline constexpr uint32_t kAnswerGroup = 2;   // what the receiver sends back

void add_latency_options(CLI::App& command, LatencyOptions& options);

// One sentence about options that do not go together, or nothing.
[[nodiscard]] std::string check(const LatencyOptions& options);

// Sender and receiver as the options describe them, or the problems, one a line.
[[nodiscard]] tl::expected<config::Config, std::string> rack_of(const LatencyOptions& options);

}  // namespace lambdacast::app
