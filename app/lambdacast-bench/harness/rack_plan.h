// SPDX-License-Identifier: BSD-3-Clause
// The racks that benchmarks run on: configurations filled in member by member and then held to the
// rules of a file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "config/config.h"
#include "options.h"

namespace lambdacast::bench {

// The configuration, or its problems, one a line.
using Planned = tl::expected<config::Config, std::string>;

// Nodes 0, 1, ... on an embedded fabric of their own.
struct FabricPlan {
  uint32_t nodes = 4;
  std::vector<uint32_t> lcores = {0, 1};  // nodes are spread over them, neighbours together
  uint32_t slots = 4096;                  // of each ring
};
// Not complete: the caller changes what it wants otherwise, and then finishes it.
[[nodiscard]] config::Config draft_of(const FabricPlan& plan);
[[nodiscard]] Planned finish(config::Config draft, const char* source = "--nodes");
[[nodiscard]] Planned load(const std::string& config_file);

// Windows of that many packets at every endpoint, and the pools they need.
void set_windows(config::Config& draft, uint32_t window_pkts, uint32_t in_flight_pkts);
// The service's settings at every endpoint, losses left out.
void set_qos(config::Config& draft, const QosOptions& options);
// The losses of the endpoint with that number.
void set_losses(config::Endpoint& endpoint, const QosOptions& options, uint32_t node);
// The endpoint's groups are those from 1 on.
void set_groups(config::Endpoint& endpoint, uint32_t count);

// [endpoint.rate] of every node, and how many bytes may wait in front of each receiver.
struct RatePlan {
  rate_control::Policy policy = rate_control::Policy::kFair;
  uint64_t limit_bps = 0;              // 0: none
  uint64_t need_bps = 0;               // 0: as measured
  uint32_t burst_us = 1'000;           // machines that others share take lcores away for so long
  uint64_t rx_buffer_bytes = 2 << 20;  // room for the bursts of all nodes at once
};
// --policy, with the words of the configuration, and the limits.
void add_rate_plan(CLI::App& command, RatePlan& plan);
// --limit, --burst-us and --rx-buffer.
void add_rate_limits(CLI::App& command, RatePlan& plan);
// One sentence about options that do not go together, or nothing.
[[nodiscard]] std::string check(const RatePlan& plan);
// Policies by the words that [endpoint.rate] has for them.
[[nodiscard]] std::map<std::string, rate_control::Policy> policies();

// Nodes that form a view.
struct ViewPlan {
  FabricPlan fabric;
  uint32_t groups = 1;       // with numbers, subscribed by all
  uint32_t window = 1024;    // retained, and received ahead of each sender
  uint32_t in_flight = 512;  // packets
  uint32_t ack_us = 20;
  uint32_t k = 1;
  uint32_t suspect_after_us = 2'000'000;
  uint32_t heartbeat_us = 1'000;
  uint32_t tie_breaker = 0;  // node: with it half of a view goes on
  uint32_t order_domains = 1024;
  ordering::Order order = ordering::Order::kSequencer;
  uint32_t names = 16384;    // of groups, a power of two
  uint64_t rx_rate_bps = 0;  // of each receiver; 0: unlimited
  double drop = 0;           // the part of frames that each receiver loses, in [0, 1)
  RatePlan rates;
};
[[nodiscard]] Planned rack_of(const ViewPlan& plan);

// Nodes of a pair, and the groups they publish to.
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
  Output output;
};
// what: of the histogram and the plot.
void add_pair_options(CLI::App& command, PairOptions& options, const std::string& histogram_of,
                      const std::string& plot_of);
// One sentence about options that do not go together, or nothing.
[[nodiscard]] std::string check(const PairOptions& options);
// `payload_bytes`: in a packet, of the application.
[[nodiscard]] Planned rack_of(const PairOptions& options, uint32_t payload_bytes);
[[nodiscard]] bool on_one_lcore(const config::StageLcores& stages);

}  // namespace lambdacast::bench
