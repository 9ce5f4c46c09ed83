// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/file_owner.h"

#include <pwd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "base/plain_text.h"

namespace lambdacast::fabric {
namespace {

// A lock as the kernel lists it: "1: FLOCK  ADVISORY  READ 1234 00:1a:5678 0 EOF", behind "lock:"
// in the file of a descriptor.
struct Lock {
  std::string kind;   // FLOCK, OFDLCK or POSIX
  pid_t process = 0;  // -1 for OFDLCK
  std::string file;
  uint64_t first = 0;
};

std::optional<Lock> parse_lock(const std::string& line) {
  std::istringstream words(line);
  Lock lock;
  std::string number, advisory, access;
  words >> number;
  if (number == "lock:") words >> number;
  words >> lock.kind;
  if (lock.kind == "->") return std::nullopt;  // waits for one
  words >> advisory >> access >> lock.process >> lock.file >> lock.first;
  return words ? std::optional(lock) : std::nullopt;
}

// The file as the kernel's lists name it: device and inode.
std::string key_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  char text[64];
  std::snprintf(text, sizeof text, "%02x:%02x:%lu", major(status.st_dev), minor(status.st_dev),
                static_cast<unsigned long>(status.st_ino));
  return text;
}

// The first such lock in the list, or better one with a process.
std::optional<Lock> lock_in(const std::string& list, const std::string& file,
                            std::optional<uint64_t> first) {
  std::ifstream lines(list);
  std::optional<Lock> found;
  for (std::string line; std::getline(lines, line);) {
    if (list != "/proc/locks" && !line.starts_with("lock:")) continue;
    const auto lock = parse_lock(line);
    if (!lock || lock->file != file) continue;
    if (first && (lock->kind != "OFDLCK" || lock->first != *first)) continue;
    if (!found || lock->process > 0) found = lock;
    if (found->process > 0) break;
  }
  return found;
}

// The first process one of whose descriptors has such a lock, of those that we may look into.
pid_t holder(const std::string& file, std::optional<uint64_t> first) {
  std::error_code error;
  for (const auto& process : std::filesystem::directory_iterator("/proc", error)) {
    const std::string number = process.path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code closed;
    const std::filesystem::directory_iterator end;
    for (std::filesystem::directory_iterator each(process.path() / "fdinfo", closed);
         !closed && each != end; each.increment(closed)) {
      if (lock_in(each->path(), file, first)) return static_cast<pid_t>(std::stol(number));
    }
  }
  return 0;
}

}  // namespace

std::string user_name(uid_t uid) {
  const std::string number = "uid " + std::to_string(uid);
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> room(16 * 1024);
  if (::getpwuid_r(uid, &entry, room.data(), room.size(), &found) != 0 || found == nullptr)
    return number;
  return base::shown(entry.pw_name) + " (" + number + ")";
}

std::optional<uid_t> foreign_owner(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || status.st_uid == ::geteuid()) return std::nullopt;
  return status.st_uid;
}

FileUse file_use(const std::string& path) {
  const std::string file = key_of(path);
  if (file.empty()) return {};
  const auto lock = lock_in("/proc/locks", file, std::nullopt);
  if (!lock) return {};
  return {true, lock->process > 0 ? lock->process : holder(file, std::nullopt)};
}

bool socket_in_use(const std::string& path) {
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    if (line.ends_with(" " + path)) return true;
  }
  return false;
}

std::string foreign_file_text(const std::string& path) {
  const auto owner = foreign_owner(path);
  if (!owner) return {};
  const std::string whose = path + " is that of " + user_name(*owner);
  if (socket_in_use(path)) return whose + " and live: name another, or run as that user";
  const FileUse use = file_use(path);
  if (use.locked)
    return whose + " and live: " + process_name(use.process) + " uses it; name another";
  return whose + " and stale: name another, or to mend: " + with_rights() + "rm -f " + path;
}

pid_t range_holder(const std::string& path, uint64_t offset) {
  const std::string file = key_of(path);
  return file.empty() ? 0 : holder(file, offset);
}

std::string process_name(pid_t process) {
  if (process == 0) return "a process that this one cannot see";
  if (process == ::getpid()) return "this process";
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(file, name);
  return "process " + std::to_string(process) +
         (name.empty() ? std::string() : " (" + base::shown(name) + ")");
}

std::string with_rights() { return ::geteuid() == 0 ? "" : "sudo "; }

}  // namespace lambdacast::fabric
