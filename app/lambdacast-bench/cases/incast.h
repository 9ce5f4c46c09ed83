// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench incast`: all nodes but one send more than that one can receive, all together,
// under one policy after another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../command_line.h"
#include "../harness/figures.h"
#include "../harness/rack_plan.h"

namespace lambdacast::bench {

inline constexpr uint32_t kSlowNode = 0;  // receives at the rate of the plan, the others at any
inline constexpr uint32_t kIncastGroup = 1;

struct IncastOptions {
  ViewPlan rack = {.fabric = {.nodes = 8}, .ack_us = 2'000, .rx_rate_bps = 1'000'000'000};
  std::vector<rate_control::Policy> policies = {rate_control::Policy::kNone,
                                                rate_control::Policy::kFair};
  wire::Qos qos = wire::Qos::kUnreliable;
  uint32_t payload_bytes = 4'048;
  double times = 3;    // of what the slow node receives, that the others offer together
  double seconds = 1;  // measured, under each policy
  double warm_up = 0.5;
  Output output;

  [[nodiscard]] uint32_t senders() const { return rack.fabric.nodes - 1; }
};

void add_options(CLI::App& command, IncastOptions& options);
[[nodiscard]] std::string check(const IncastOptions& options);
// Under one of the policies. Only the window needs no view.
[[nodiscard]] Planned rack_of(const IncastOptions& options, rate_control::Policy policy);
// The messages a second that each sender offers, of so many bytes on the wire.
[[nodiscard]] uint64_t rate_of(const IncastOptions& options, uint64_t wire_bytes);

// The result of one policy.
struct IncastRow {
  rate_control::Policy policy = rate_control::Policy::kNone;
  double elapsed_s = 0;
  uint64_t sent_wire_bytes = 0;        // of messages, by all senders, measured
  uint64_t slow_delivered = 0;         // messages at the slow node, measured
  uint64_t total_published = 0;        // by all senders, from beginning to end
  std::vector<uint64_t> published_by;  // by node
  std::vector<uint64_t> by_node;       // delivered there, of the others' messages
  uint64_t declared_lost = 0;          // at all nodes
  uint64_t dropped = 0;                // frames in front of the slow node
  uint64_t repairs = 0;

  // Sent, in parts of the slow node's room.
  [[nodiscard]] double sum_ratio(const IncastOptions& options) const;
  // The part of the messages for a node that it did not get.
  [[nodiscard]] double lost_ratio(uint32_t node, const IncastOptions& options) const;
  [[nodiscard]] double slow_lost_ratio(const IncastOptions& options) const {
    return lost_ratio(kSlowNode, options);
  }
  [[nodiscard]] double most_lost_elsewhere(const IncastOptions& options) const;
  [[nodiscard]] double goodput_bps(const IncastOptions& options) const;
  // Recoverable messages came everywhere, and no message twice.
  [[nodiscard]] bool sound(const IncastOptions& options) const;
  // The messages for a node. A sender does not hear its own.
  [[nodiscard]] uint64_t expected(uint32_t node) const {
    return total_published - published_by[node];
  }
};

struct IncastReport {
  std::vector<IncastRow> rows;
  [[nodiscard]] bool sound(const IncastOptions& options) const;
};
[[nodiscard]] Readings readings_of(const IncastReport& report, const IncastOptions& options);

[[nodiscard]] int run(const app::CommandLine& line, const IncastOptions& options);

}  // namespace lambdacast::bench
