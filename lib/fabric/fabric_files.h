// SPDX-License-Identifier: BSD-3-Clause
// The names of a fabric's files, and the lock under which they come and go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/backing.h"

namespace lambdacast::fabric {

inline constexpr std::string_view kControlPrefix = "odbss.";
inline constexpr std::string_view kDataPrefix = "odbss-data-";
// A byte of the control file, behind every wavelength that it could have.
inline constexpr uint64_t kSetupLock = uint64_t{1} << 32;

// Where the data of a fabric may lie. The data file's name is a hash, so that no fabric name can
// put "map_" into it (backing.h).
[[nodiscard]] std::vector<std::string> data_paths(const BackingDirectories& directories,
                                                  const std::string& fabric);
[[nodiscard]] std::string data_stem(const std::string& fabric);

}  // namespace lambdacast::fabric
