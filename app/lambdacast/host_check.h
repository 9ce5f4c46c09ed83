// SPDX-License-Identifier: BSD-3-Clause
// lambdacast --check-host: what of this machine stands in the way of a configuration, each with the
// command that mends it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "host_files.h"

namespace lambdacast::appliance {

enum class Grade : uint8_t {
  kGood,
  kSlow,   // it runs, and not as fast or as evenly as it could
  kWrong,  // it does not start, or hears nothing
};

struct Finding {
  std::string subject;  // "hugepages"
  Grade grade = Grade::kGood;
  std::string sentence;
  std::string remedy;  // a command or a setting; empty: none is needed
};

// What the kernel tells of this process, and not in files.
struct HostLimits {
  uint64_t locked_bytes = 0;         // RLIMIT_MEMLOCK, all ones: unlimited
  std::vector<uint32_t> cpus;        // that it may run on
  uint64_t shared_memory_bytes = 0;  // free in /dev/shm

  [[nodiscard]] static HostLimits of_this_process();
};

// In the order in which an operator mends them.
[[nodiscard]] std::vector<Finding> check_host(const HostFiles& files, const HostLimits& limits,
                                              const config::Config& config);

// A line each, and the remedy on a line of its own.
[[nodiscard]] std::string text(const std::vector<Finding>& findings);
[[nodiscard]] bool any_wrong(const std::vector<Finding>& findings);

}  // namespace lambdacast::appliance
