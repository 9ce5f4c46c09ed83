// SPDX-License-Identifier: BSD-3-Clause
// `help [COMMAND]`.
#pragma once

#include <string>
#include <vector>

#include "console/command.h"

namespace lambdacast::console {

// Usage and help of the commands whose first words are those of `beginning`, all if that is empty,
// or the error that there are none.
[[nodiscard]] Answer help_text(const std::vector<Command>& commands, const std::string& beginning);

}  // namespace lambdacast::console
