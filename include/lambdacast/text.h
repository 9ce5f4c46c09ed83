// SPDX-License-Identifier: BSD-3-Clause
// Text from elsewhere (names and messages of other members), made fit for a terminal or a log.
#pragma once

#include <string>
#include <string_view>

namespace lambdacast {

// The text in UTF-8. Every byte of what is not valid, of controls, of separators of lines and of
// marks that turn the direction of writing becomes \xNN.
[[nodiscard]] std::string shown(std::string_view text);
// The same, but line feeds stay.
[[nodiscard]] std::string shown_lines(std::string_view text);

}  // namespace lambdacast
