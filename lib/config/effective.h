// SPDX-License-Identifier: BSD-3-Clause
// A configuration as it works: what the file said, with the defaults and merged sections.
#pragma once

#include <string>

#include "config/config.h"

namespace lambdacast::config {

// The TOML that loads to the same configuration. A key at its default stands behind a '#'.
[[nodiscard]] std::string effective(const Config& config);

}  // namespace lambdacast::config
