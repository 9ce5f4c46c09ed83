// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/fabric_files.h"

#include <cstdio>

#include "base/random.h"

namespace lambdacast::fabric {

std::string data_stem(const std::string& fabric) {
  uint64_t hash = fabric.size();
  for (const unsigned char c : fabric) hash = base::mix64(hash ^ c);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return std::string(kDataPrefix) + text;
}

std::vector<std::string> data_paths(const BackingDirectories& directories,
                                    const std::string& fabric) {
  std::vector<std::string> paths;
  for (const std::string& directory : {directories.shared_memory, directories.hugetlbfs}) {
    if (!directory.empty()) paths.push_back(directory + "/" + data_stem(fabric));
  }
  return paths;
}

}  // namespace lambdacast::fabric
