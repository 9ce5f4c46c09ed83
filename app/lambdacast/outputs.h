// SPDX-License-Identifier: BSD-3-Clause
// Where lambdacast prints. Neither ever makes it wait (console/output.h).
#pragma once

#include <unistd.h>

#include "console/output.h"

namespace lambdacast::appliance {

struct Outputs {
  console::Output out{STDOUT_FILENO};
  console::Output err{STDERR_FILENO};
};

}  // namespace lambdacast::appliance
