// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench groups`: what thousands of groups cost, all of them joined by all nodes: to
// join, in memory, and in throughput (QSM 2008, Figure 9).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../command_line.h"
#include "../harness/figures.h"
#include "../harness/rack_plan.h"

namespace lambdacast::bench {

struct GroupsOptions {
  ViewPlan rack;
  std::vector<uint32_t> groups = {8192};  // joined by every node, ascending: one step after another
  wire::Qos level = wire::Qos::kSourceOrdered;  // or kTotallyOrdered
  uint32_t payload_bytes = 64;                  // at least sizeof(GroupsStamp)
  double seconds = 0.5;                         // of each measurement
  double warm_up = 0.1;                         // before it
  uint32_t rounds = 5;  // each measures one group, and all in turn, the two in alternating order
  uint64_t rate = 0;    // messages a second; 0: as fast as they are taken
  Output output;
};
inline constexpr uint32_t kMostBenchGroups = 1u << 20;

void add_options(CLI::App& command, GroupsOptions& options);
[[nodiscard]] std::string check(const GroupsOptions& options);
// With room for all names.
[[nodiscard]] Planned rack_of(const GroupsOptions& options);

[[nodiscard]] double median(std::vector<double> values);  // 0 of none

// So many groups joined by all nodes.
struct GroupsStep {
  uint32_t groups = 0;
  uint64_t joins = 0;  // of this step, at all nodes together
  double join_s = 0;   // from the first call until every node has seen every node in every group
  int64_t rss_growth_bytes = 0;  // of the process, since its first group was joined and warm
  std::vector<double> one_mps;   // messages a second at each receiver, by round
  std::vector<double> many_mps;

  [[nodiscard]] double joins_per_s() const { return per_second(joins, join_s); }
  [[nodiscard]] double one() const { return median(one_mps); }
  [[nodiscard]] double many() const { return median(many_mps); }
  [[nodiscard]] double ratio() const { return one() > 0 ? many() / one() : 0; }  // 0: not measured
  // At one node. 0 with a single group, which is there before the growth begins.
  [[nodiscard]] double rss_bytes_per_group(const GroupsOptions& options) const;
};

struct GroupsReport {
  std::vector<GroupsStep> steps;
  uint64_t table_bytes_per_group = 0;  // at one node: what its tables have for each, by their sizes
  uint64_t published = 0;
  uint64_t expected = 0;  // deliveries of these
  uint64_t delivered = 0;
  uint64_t wrong = 0;         // of another content, phase or group than was published
  uint64_t out_of_order = 0;  // in their group
  uint64_t views = 0;         // begun, at all nodes; one each is right

  [[nodiscard]] bool sound(const GroupsOptions& options) const;
};
// The keys of the last step at the top too.
[[nodiscard]] Readings readings_of(const GroupsReport& report, const GroupsOptions& options);

[[nodiscard]] int run(const app::CommandLine& line, const GroupsOptions& options);

}  // namespace lambdacast::bench
