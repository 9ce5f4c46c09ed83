// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/inventory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

#include "fabric/fabric_files.h"
#include "fabric/file_owner.h"
#include "fabric/locked_file.h"

namespace lambdacast::fabric {
namespace {

std::vector<std::string> files_of(const std::string& directory, std::string_view prefix) {
  std::vector<std::string> all;
  std::error_code error;
  if (directory.empty()) return all;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix)) all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

void add_file(FabricFiles& fabric, const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (fabric.paths.empty()) fabric.owner = status.st_uid;
  fabric.bytes += static_cast<uint64_t>(status.st_size);
  fabric.paths.push_back(path);
}

void look_who_uses(FabricFiles& fabric) {
  for (const std::string& path : fabric.paths) {
    const FileUse use = file_use(path);
    fabric.live = fabric.live || use.locked;
    if (use.process != 0) fabric.process = use.process;
  }
}

base::Result<void> failed(const std::string& path) {
  return base::fail(path + " stays: " + std::strerror(errno));
}

}  // namespace

std::vector<FabricFiles> inventory(const BackingDirectories& directories) {
  std::vector<FabricFiles> all;
  std::set<std::string> known;
  for (const std::string& control : files_of(directories.shared_memory, kControlPrefix)) {
    FabricFiles fabric;
    fabric.name = std::filesystem::path(control).filename().string().substr(kControlPrefix.size());
    add_file(fabric, control);
    for (const std::string& data : data_paths(directories, fabric.name)) {
      known.insert(data);
      if (::access(data.c_str(), F_OK) == 0) add_file(fabric, data);
    }
    all.push_back(std::move(fabric));
  }
  for (const std::string& directory : {directories.shared_memory, directories.hugetlbfs}) {
    for (const std::string& data : files_of(directory, kDataPrefix)) {
      if (known.count(data) != 0) continue;
      FabricFiles orphan;
      add_file(orphan, data);
      all.push_back(std::move(orphan));
    }
  }
  for (FabricFiles& fabric : all) look_who_uses(fabric);
  return all;
}

// The first file's lock is what every process of the fabric holds: it is the control file, or data
// whose control file is gone.
base::Result<void> remove_stale(const FabricFiles& fabric) {
  if (fabric.paths.empty()) return {};
  const std::string& first = fabric.paths.front();
  if (const auto owner = foreign_owner(first); owner && ::geteuid() != 0)
    return base::fail(first + " is that of " + user_name(*owner));
  LockedFile file(::open(first.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return failed(first);
  if (!fabric.name.empty() && !file.try_lock_byte(kSetupLock))
    return base::fail(first + " is in use");
  if (!file.try_lock_exclusive()) return base::fail(first + " is in use");
  for (size_t i = fabric.paths.size(); i-- > 0;) {
    if (::unlink(fabric.paths[i].c_str()) != 0 && errno != ENOENT) return failed(fabric.paths[i]);
  }
  return {};
}

}  // namespace lambdacast::fabric
