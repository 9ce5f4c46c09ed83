// SPDX-License-Identifier: BSD-3-Clause
// `plan FILE`, `apply FILE` and `save FILE`: from the configuration as it works to that of a file,
// and to a file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "console/command.h"
#include "console/live_config.h"

namespace lambdacast::console {

// How files are read and written for whoever types.
struct Files {
  std::function<base::Result<std::string>(const std::string& path)> read;
  std::function<base::Result<void>(const std::string& path, const std::string& text)> write;
};

// `live` outlives the commands.
[[nodiscard]] std::vector<Command> plan_commands(LiveConfig& live, Files files);

}  // namespace lambdacast::console
