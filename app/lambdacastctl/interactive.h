// SPDX-License-Identifier: BSD-3-Clause
// Lines from a terminal, with the editing, history and completion of lambdacast's own console;
// events are shown above the line that is being typed.
#pragma once

#include "ctl/client.h"
#include "runner.h"

namespace lambdacast::ctl_tool {

// Until the person or the process goes. Error: why it could not go on.
[[nodiscard]] base::Result<void> run_interactive(ctl::Client& client, Runner& runner);

}  // namespace lambdacast::ctl_tool
