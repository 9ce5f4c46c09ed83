// SPDX-License-Identifier: BSD-3-Clause
// A machine as the kernel's files tell of it, made up by a test and removed at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "lambdacast/host_files.h"

namespace lambdacast::appliance {

class HostTree {
 public:
  HostTree() {
    std::string pattern = std::filesystem::temp_directory_path() / "lambdacast-host-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
  }
  ~HostTree() { std::filesystem::remove_all(root_); }
  HostTree(const HostTree&) = delete;
  HostTree& operator=(const HostTree&) = delete;

  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void link(const std::string& path, const std::string& target) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::filesystem::create_symlink(target, root_ / path);
  }
  [[nodiscard]] HostFiles files() const { return HostFiles(root_); }

 private:
  std::filesystem::path root_;
};

}  // namespace lambdacast::appliance
