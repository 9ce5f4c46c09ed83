// SPDX-License-Identifier: BSD-3-Clause
// A report as JSON, as `--json` takes it: to a file, or to standard output with "-".
#pragma once

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace lambdacast::sim_program {

// False: it could not be written.
[[nodiscard]] inline bool write_report(const nlohmann::ordered_json& json,
                                       const std::string& path) {
  if (path.empty()) return true;
  const std::string text = json.dump(2) + "\n";
  if (path == "-") return std::fputs(text.c_str(), stdout) >= 0;
  std::ofstream file(path);
  file << text;
  return file.flush().good();
}

}  // namespace lambdacast::sim_program
