// SPDX-License-Identifier: BSD-3-Clause
#include "host_files.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

namespace lambdacast::appliance {
namespace {

std::optional<uint64_t> number_of(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string HostFiles::line(const std::string& path) const {
  std::ifstream file(root_ / path);
  std::string text;
  std::getline(file, text);
  return text;
}

std::optional<uint64_t> HostFiles::number(const std::string& path) const {
  return number_of(line(path));
}

bool HostFiles::exists(const std::string& path) const {
  std::error_code error;
  return std::filesystem::exists(root_ / path, error);
}

std::vector<std::string> HostFiles::names(const std::string& path) const {
  std::vector<std::string> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root_ / path, error))
    all.push_back(entry.path().filename());
  std::sort(all.begin(), all.end());
  return all;
}

std::string HostFiles::target(const std::string& path) const {
  std::error_code error;
  return std::filesystem::read_symlink(root_ / path, error).filename();
}

std::vector<uint32_t> HostFiles::cpus(const std::string& path) const {
  constexpr uint64_t kMostCpus = 8192;
  std::vector<uint32_t> all;
  std::istringstream ranges(line(path));
  for (std::string range; std::getline(ranges, range, ',');) {
    const size_t dash = range.find('-');
    const auto first = number_of(range.substr(0, dash));
    const auto last = dash == std::string::npos ? first : number_of(range.substr(dash + 1));
    if (!first || !last || *last >= kMostCpus) continue;
    for (uint64_t cpu = *first; cpu <= *last; ++cpu) all.push_back(static_cast<uint32_t>(cpu));
  }
  return all;
}

std::string HostFiles::mount_point(const std::string& file_system) const {
  std::ifstream mounts(root_ / "proc/mounts");
  for (std::string text; std::getline(mounts, text);) {
    std::istringstream words(text);
    std::string device, where, type;
    if (words >> device >> where >> type && type == file_system) return where;
  }
  return {};
}

}  // namespace lambdacast::appliance
