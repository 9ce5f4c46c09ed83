// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people type them.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace lambdacast::console {

// "0.001", "1e-3", "250_000", "250,000", "250k", "40G" (k, M, G: powers of 1000). The error says
// what it is that is no number: `name` of the usage.
[[nodiscard]] base::Result<double> parse_real(const std::string& text, const std::string& name);

// The same, whole and from `least` to `most`.
[[nodiscard]] base::Result<uint64_t> parse_whole(const std::string& text, const std::string& name,
                                                 uint64_t least, uint64_t most);

}  // namespace lambdacast::console
