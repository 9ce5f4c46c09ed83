// SPDX-License-Identifier: BSD-3-Clause
// The commands of a program as JSON: what lambdacastctl completes by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "console/command.h"

namespace lambdacast::console {

// {"commands": [{"words": [{"form", "name", "choices"}], "optional", "help", "json"}]}
[[nodiscard]] std::string catalogue_json(const std::vector<Command>& commands);

// Reads it back, without what the commands do. An error of its form is a sentence.
[[nodiscard]] base::Result<std::vector<Command>> parse_catalogue(std::string_view json);

}  // namespace lambdacast::console
