// SPDX-License-Identifier: BSD-3-Clause
// "Did you mean": the known word nearest to one that is not known.
#pragma once

#include <string_view>
#include <vector>

namespace lambdacast::config {

// Insertions, removals, replacements and swaps of neighbours that turn a into b.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the nearest word, or an empty one if more than a third of the longer word would have to
// change.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       const std::vector<std::string_view>& known);

}  // namespace lambdacast::config
