// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench fairness`: what each of four members of a view sends while what they need
// changes, beside what it should send: FastCast 2013, Figure 5, in parts of what a receiver takes.
//
//   from    node 0   node 1   node 2   node 3
//   0 s     1/3      1/3      1/3      1/3
//   10 s    0.1
//   20 s             0.1
//   30 s                      0.8
//   40 s    0.5               0.2
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../../command_line.h"
#include "../../plot.h"
#include "../harness/figures.h"
#include "../harness/rack_plan.h"

namespace lambdacast::bench {

inline constexpr uint32_t kFairNodes = 4;
inline constexpr uint32_t kFairPhases = 5;
inline constexpr uint32_t kFloodNode = 3;
inline constexpr double kFairPhaseSeconds = 10;  // at scale 1

struct FairnessOptions {
  ViewPlan rack = {.fabric = {.nodes = kFairNodes}, .ack_us = 200, .rx_rate_bps = 1'000'000'000};
  uint32_t payload_bytes = 4048;
  double scale = 0.2;           // of the figure's times
  bool measured_needs = false;  // the endpoints find out what they need; or are told
  bool flood = false;           // kFloodNode needs all, and sends messages that are unreliable
  Output output;
};

void add_options(CLI::App& command, FairnessOptions& options);
[[nodiscard]] std::string check(const FairnessOptions& options);
[[nodiscard]] Planned rack_of(const FairnessOptions& options);

// Bits a second on the wire, by node.
using FairRates = std::array<double, kFairNodes>;
// The needs of the nodes in that phase, each as a part of a receiver's rate.
[[nodiscard]] FairRates needs_of(uint32_t phase, bool flood = false);
// The rates they should send at: max-min fair shares of receivers whose rate is 1.
[[nodiscard]] FairRates optimum_of(uint32_t phase, bool flood = false);
// 1: all get the same part of what they should; 1 / nodes: one gets all (Jain 1984).
[[nodiscard]] double jain_index(const FairRates& parts);

struct FairnessReport {
  double room_bps = 0;  // of a receiver
  bool flood = false;   // as in the options
  std::array<FairRates, kFairPhases> achieved_bps{};
  uint64_t dropped = 0;  // in front of receivers
  uint64_t repairs = 0;
  uint64_t lost = 0;       // declared lost
  double increase_us = 0;  // the longest from a higher need to 95 % of the share it brings
  double rtt_us = 0;       // median round trip under that load
  std::vector<std::array<double, kFairNodes + 1>> samples;  // time in s, then bits/s of each node

  [[nodiscard]] FairRates parts_of(uint32_t phase) const;
  [[nodiscard]] double least_part() const;  // of all nodes and phases
  [[nodiscard]] double most_part() const;
  [[nodiscard]] double least_jain() const;
  [[nodiscard]] bool sound() const { return lost == 0; }
};
[[nodiscard]] Readings readings_of(const FairnessReport& report, const FairnessOptions& options);
[[nodiscard]] app::Plot plot_of(const FairnessReport& report, const FairnessOptions& options);

[[nodiscard]] int run(const app::CommandLine& line, const FairnessOptions& options);

}  // namespace lambdacast::bench
