// SPDX-License-Identifier: BSD-3-Clause
// The options of `lambdacast-bench order`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "wire/control/transport.h"

namespace CLI {
class App;
}

namespace lambdacast::bench {

struct OrderOptions {
  uint32_t nodes = 4;
  wire::Qos level = wire::Qos::kTotallyOrdered;
  uint32_t payload_bytes = 64;  // application bytes, at least 24
  double seconds = 2;           // measured
  double warm_up = 0.3;         // before
  bool one_sender = false;      // a member that is not the sequencer; else all send
  bool coalesce = false;        // messages may share packets
  uint32_t groups = 1;          // published to in turn, all joined
  uint64_t rate = 0;            // messages a second of each sender; 0: as fast as they are taken
  uint64_t rx_rate_bps = 0;     // of each receiver; 0: unlimited
  double share = 1;             // with rx_rate: of the measured capacity that the senders use
  uint32_t window = 1024;       // retained, and received ahead of each sender
  uint32_t in_flight = 512;
  uint32_t ack_us = 20;
  uint32_t k = 1;
  uint32_t suspect_after_us = 2'000'000;
  uint32_t heartbeat_us = 1'000;
  uint32_t tie_breaker = 0;  // node
  uint32_t order_domains = 1024;
  uint32_t names = 16384;  // of groups, a power of two
  std::vector<uint32_t> lcores = {0, 1};
  uint32_t slots = 4096;
  std::string json;
};

inline constexpr uint32_t kOrderGroup = 1;

[[nodiscard]] const char* name_of(wire::Qos level);
void add_order_options(CLI::App& command, OrderOptions& options);
[[nodiscard]] std::string check(const OrderOptions& options);
[[nodiscard]] config::Loaded rack_of(const OrderOptions& options);

}  // namespace lambdacast::bench
