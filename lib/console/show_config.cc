// SPDX-License-Identifier: BSD-3-Clause
#include "console/show_config.h"

#include "config/effective.h"

namespace lambdacast::console {

std::vector<Command> show_config_commands(const config::Config& config) {
  return {{{fixed("show"), fixed("config")},
           0,
           "The configuration as it was loaded; defaults stand behind a #.",
           [&config](const Arguments&) -> Answer { return effective(config); }}};
}

}  // namespace lambdacast::console
