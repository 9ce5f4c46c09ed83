// SPDX-License-Identifier: BSD-3-Clause
#include "console/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

namespace lambdacast::console {

base::Result<std::string> read_file(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad())
    return base::fail(path + " cannot be read: " + std::strerror(errno));
  return text;
}

base::Result<void> write_file(const std::string& path, const std::string& text) {
  const std::string unfinished = path + ".new";
  std::ofstream file(unfinished, std::ios::trunc);
  file << text;
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    (void)std::remove(unfinished.c_str());
    return base::fail(path + " cannot be written: " + why);
  }
  return {};
}

}  // namespace lambdacast::console
