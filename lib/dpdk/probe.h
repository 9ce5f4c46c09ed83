// SPDX-License-Identifier: BSD-3-Clause
// rte_dev_probe(), and what af_packet makes of it: that driver puts its sockets into a fanout group
// whose number it makes of the process's number and the interface's index. Two processes on two
// interfaces may so ask for one group, and the kernel denies it to the second.
#pragma once

#include <functional>
#include <string>

namespace lambdacast::dpdk {

// Calls `work` where getpid() gives another number than here: in a process that shares all memory
// and all files with this one, which waits for it. Its result, or -errno if there is none.
[[nodiscard]] int under_another_number(const std::function<int()>& work);

// Returns the result of rte_dev_probe() for `device`. `said` is DPDK's sentence about a failure,
// without `prefix`. If another process has the fanout group, up to 8 other numbers are tried.
[[nodiscard]] int probe(const std::string& device, const std::string& prefix, std::string& said);

}  // namespace lambdacast::dpdk
