// SPDX-License-Identifier: BSD-3-Clause
// Why EAL does not start, in one sentence with what mends it: EAL itself says it in its log, in
// several lines, and leaves an error number that may be any, or none.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace lambdacast::dpdk {

struct HugetlbMount {
  std::string path;
  bool read_only = false;
  bool operator==(const HugetlbMount&) const = default;
};

// Reads a table in the format of /proc/mounts.
[[nodiscard]] std::vector<HugetlbMount> hugetlb_mounts(std::istream& mounts);

// `log` has the lines that EAL wrote while it failed, and `error` is its rte_errno.
[[nodiscard]] std::string eal_failure(const std::vector<std::string>& arguments,
                                      const std::string& log, int error,
                                      const std::vector<HugetlbMount>& mounts);

}  // namespace lambdacast::dpdk
