// SPDX-License-Identifier: BSD-3-Clause
// Files that commands name, read and written as a whole.
#pragma once

#include <string>

#include "base/result.h"

namespace lambdacast::console {

// "-": the standard input.
[[nodiscard]] base::Result<std::string> read_file(const std::string& path);
// The whole text or nothing: what has that name stays until all of it is written.
[[nodiscard]] base::Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace lambdacast::console
