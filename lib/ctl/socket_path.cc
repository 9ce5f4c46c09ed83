// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/socket_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace lambdacast::ctl {
namespace {

constexpr char kFolder[] = "lambdacast";
constexpr char kSuffix[] = ".sock";

std::string text_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

}  // namespace

std::string socket_directory() {
  // A service may have several, with colons between them.
  if (const std::string given = text_of("RUNTIME_DIRECTORY"); !given.empty())
    return given.substr(0, given.find(':'));
  if (::geteuid() == 0) return std::string("/run/") + kFolder;
  if (const std::string session = text_of("XDG_RUNTIME_DIR"); !session.empty())
    return session + "/" + kFolder;
  return std::string("/tmp/") + kFolder + "-" + std::to_string(::geteuid());
}

std::string socket_name(const std::string& config_file) {
  std::string name = std::filesystem::path(config_file).stem().string();
  return name.empty() ? kFolder : name;
}

base::Result<void> make_socket_directory(const std::string& directory) {
  const bool shared = !directory.starts_with("/tmp/");
  if (::mkdir(directory.c_str(), shared ? 0755 : 0700) != 0 && errno != EEXIST)
    return base::fail(directory + " cannot be made: " + std::strerror(errno));
  struct stat found {};
  if (::lstat(directory.c_str(), &found) != 0 || (found.st_mode & S_IFMT) != S_IFDIR)
    return base::fail(directory + " is no directory");
  if (found.st_uid != ::geteuid() && found.st_uid != 0)
    return base::fail(directory + " belongs to another user, with number " +
                      std::to_string(found.st_uid));
  return {};
}

std::vector<std::string> sockets_in(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == kSuffix && entry.is_socket(error))
      found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace lambdacast::ctl
