// SPDX-License-Identifier: BSD-3-Clause
// Makes text from elsewhere, such as names and messages of other members, fit for a terminal or a
// log.
#pragma once

#include <string>
#include <string_view>

namespace lambdacast {

// Returns the text in UTF-8. These become \xNN for each of their bytes: invalid bytes, controls,
// separators of lines, and marks that turn the direction of writing.
[[nodiscard]] std::string shown(std::string_view text);
// Does the same, but keeps line feeds.
[[nodiscard]] std::string shown_lines(std::string_view text);

}  // namespace lambdacast
