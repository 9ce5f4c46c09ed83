// SPDX-License-Identifier: BSD-3-Clause
// Where lambdacast prints. Neither ever makes it wait (console/output.h).
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

#include "base/plain_text.h"
#include "console/output.h"

namespace lambdacast::appliance {

struct Outputs {
  console::Output out{STDOUT_FILENO};
  console::Output err{STDERR_FILENO};

  // A sentence may quote what came from elsewhere.
  void complain(std::string_view sentence) {
    err.print("lambdacast: " + base::shown_lines(sentence) + "\n");
  }
};

}  // namespace lambdacast::appliance
