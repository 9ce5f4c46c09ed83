// SPDX-License-Identifier: BSD-3-Clause
// The fabrics of this machine, in use or left behind by processes that were killed. A stale one
// keeps its memory, hugepages as a rule, until its name is used again or it is removed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/backing.h"

namespace lambdacast::fabric {

struct FabricFiles {
  std::string name;   // empty: data whose fabric is gone
  uid_t owner = 0;    // of the control file, or of the data
  bool live = false;  // a process uses it
  pid_t process = 0;  // one of them; 0: not known
  uint64_t bytes = 0;
  std::vector<std::string> paths;
};

// By name. Reads /proc and the two directories, and changes nothing.
[[nodiscard]] std::vector<FabricFiles> inventory(const BackingDirectories& directories);

// Removes what a stale fabric has left. One that a process begins to use meanwhile stays, and so
// does another user's: the error says so.
[[nodiscard]] base::Result<void> remove_stale(const FabricFiles& fabric);

}  // namespace lambdacast::fabric
