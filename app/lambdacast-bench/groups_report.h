// SPDX-License-Identifier: BSD-3-Clause
// What `lambdacast-bench groups` found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "groups_options.h"

namespace lambdacast::bench {

// So many groups joined by all nodes.
struct GroupsStep {
  uint32_t groups = 0;
  uint64_t joins = 0;  // of this step, at all nodes together
  double join_s = 0;   // from the first call until every node has seen every node in every group
  int64_t rss_growth_bytes = 0;  // of the process, since its first group was joined and warm
  std::vector<double> one_mps;   // messages a second at each receiver, by round
  std::vector<double> many_mps;

  [[nodiscard]] double joins_per_s() const {
    return join_s > 0 ? static_cast<double>(joins) / join_s : 0;
  }
  // Of the medians; 0: not measured.
  [[nodiscard]] double ratio() const;
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

[[nodiscard]] double median(std::vector<double> values);  // 0 of none

[[nodiscard]] std::string text_of(const GroupsReport& report, const GroupsOptions& options);
// The keys of the last step at the top too.
[[nodiscard]] std::string json_of(const GroupsReport& report, const GroupsOptions& options);

}  // namespace lambdacast::bench
