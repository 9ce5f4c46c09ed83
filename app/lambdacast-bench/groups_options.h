// SPDX-License-Identifier: BSD-3-Clause
// The options of `lambdacast-bench groups`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "order_options.h"

namespace lambdacast::bench {

struct GroupsOptions {
  uint32_t nodes = 4;
  std::vector<uint32_t> groups = {8192};  // joined by every node, ascending: one step after another
  wire::Qos level = wire::Qos::kSourceOrdered;  // or kTotallyOrdered
  uint32_t payload_bytes = 64;                  // at least sizeof(GroupsStamp)
  double seconds = 0.5;                         // of each measurement
  double warm_up = 0.1;                         // before it
  uint32_t rounds = 5;  // each measures one group, and all in turn, the two in alternating order
  uint64_t rate = 0;    // messages a second; 0: as fast as they are taken
  uint32_t order_domains = 1024;
  std::vector<uint32_t> lcores = {0, 1};
  std::string json;
};

inline constexpr uint32_t kMostBenchGroups = 1u << 20;

void add_groups_options(CLI::App& command, GroupsOptions& options);
[[nodiscard]] std::string check(const GroupsOptions& options);
// Of a rack that has room for them all.
[[nodiscard]] OrderOptions order_options(const GroupsOptions& options);

}  // namespace lambdacast::bench
