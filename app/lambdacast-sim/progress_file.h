// SPDX-License-Identifier: BSD-3-Clause
// What a campaign has done so far, as JSON: the seeds finished (as ranges), those that failed, and
// the coverage. Written whole to a file beside it and renamed, so that no crash leaves half of one.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/check/coverage.h"

namespace lambdacast::sim_program {

// Seeds in closed ranges that neither touch nor overlap.
class SeedRanges {
 public:
  struct Range {
    uint64_t first;
    uint64_t last;
    bool operator==(const Range&) const = default;
  };
  // Takes many ranges at once, because a campaign of several kinds has as many ranges as seeds.
  void add(const std::vector<Range>& more);
  [[nodiscard]] bool contains(uint64_t seed) const;
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;  // ascending
};

struct Progress {
  SeedRanges done;                 // when the campaign began
  std::vector<uint64_t> finished;  // since
  std::set<uint64_t> failed;
  sim::Coverage coverage;
};

// A file that is not there is an empty one.
[[nodiscard]] base::Result<void> load_progress(const std::string& path, Progress& out);
[[nodiscard]] base::Result<void> save_progress(const std::string& path, const Progress& progress);

}  // namespace lambdacast::sim_program
