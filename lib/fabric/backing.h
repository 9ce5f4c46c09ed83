// SPDX-License-Identifier: BSD-3-Clause
// Where a fabric's data segment lies: hugetlbfs if it has room, else the shared-memory file system.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace lambdacast::fabric {

struct BackingDirectories {
  std::string shared_memory = "/dev/shm";
  std::string hugetlbfs;  // empty: none mounted, or not to be used

  // hugetlbfs as /proc/mounts has it.
  [[nodiscard]] static BackingDirectories of_this_machine();
};

struct Backing {
  int fd = -1;  // the caller's to close
  std::string path;
  bool huge = false;
};

// Creates the file with every byte reserved: a sparse one would kill its users with SIGBUS when
// memory runs out later. `stem` names it; EAL's start-up sweep removes unlocked "*map_*" files
// from hugetlbfs, so no path made here contains that. The error says how much room is missing.
[[nodiscard]] base::Result<Backing> create_backing(const BackingDirectories& directories,
                                                   const std::string& stem, std::size_t bytes);

}  // namespace lambdacast::fabric
