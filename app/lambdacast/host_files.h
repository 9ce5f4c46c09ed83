// SPDX-License-Identifier: BSD-3-Clause
// What the kernel tells about this machine in files, below a directory that tests choose.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lambdacast::appliance {

class HostFiles {
 public:
  explicit HostFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  // The first line of a file, by its path without the leading slash; empty: it cannot be read.
  [[nodiscard]] std::string line(const std::string& path) const;
  [[nodiscard]] std::optional<uint64_t> number(const std::string& path) const;
  [[nodiscard]] bool exists(const std::string& path) const;
  // The names in a directory, sorted; empty: there is none.
  [[nodiscard]] std::vector<std::string> names(const std::string& path) const;
  // The last part of what a symbolic link points to; empty: there is none.
  [[nodiscard]] std::string target(const std::string& path) const;
  // The CPUs of a list such as "0-2,5".
  [[nodiscard]] std::vector<uint32_t> cpus(const std::string& path) const;
  // The first mount point of that file system in /proc/mounts; empty: none.
  [[nodiscard]] std::string mount_point(const std::string& file_system) const;

 private:
  std::filesystem::path root_;
};

}  // namespace lambdacast::appliance
