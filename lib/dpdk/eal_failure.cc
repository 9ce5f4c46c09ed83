// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/eal_failure.h"

#include <rte_errno.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "dpdk/eal_options.h"

namespace lambdacast::dpdk {
namespace {

// "EAL: get_seg_fd(): open 'x' failed." is "open 'x' failed".
std::string without_frame(std::string line) {
  constexpr std::string_view kWho = "EAL: ";
  if (line.starts_with(kWho)) line.erase(0, kWho.size());
  if (const size_t function = line.find("(): "); function < line.find(' '))
    line.erase(0, function + 4);
  while (!line.empty() && line.back() == '.') line.pop_back();
  return line;
}

// If EAL logged errors alone, the first line is the cause. If it logged all, the last one is.
std::string cause(const std::vector<std::string>& arguments, const std::string& log) {
  const bool errors_only =
      std::count(arguments.begin(), arguments.end(), "--log-level=lib.eal:error") != 0;
  std::istringstream lines(log);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && (found.empty() || !errors_only)) found = without_frame(line);
  }
  return found;
}

// Pages without files need no hugetlbfs.
std::string remedy(const std::vector<std::string>& arguments,
                   const std::vector<HugetlbMount>& mounts) {
  if (has(arguments, {"--in-memory", "--no-huge"})) return {};
  constexpr std::string_view kOr = ", or give --in-memory in place of --huge-dir";
  if (mounts.empty())
    return "; no hugetlbfs is mounted. To mend: mount -t hugetlbfs none /dev/hugepages" +
           std::string(kOr);
  const auto closed =
      std::find_if(mounts.begin(), mounts.end(), [](const auto& each) { return each.read_only; });
  if (closed == mounts.end()) return {};
  return "; " + closed->path + " is read-only. To mend: mount -o remount,rw " + closed->path +
         std::string(kOr);
}

}  // namespace

std::vector<HugetlbMount> hugetlb_mounts(std::istream& mounts) {
  std::vector<HugetlbMount> found;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, path, type, options;
    words >> device >> path >> type >> options;
    const bool read_only = ("," + options + ",").find(",ro,") != std::string::npos;
    if (type == "hugetlbfs") found.push_back({path, read_only});
  }
  return found;
}

std::string eal_failure(const std::vector<std::string>& arguments, const std::string& log,
                        int error, const std::vector<HugetlbMount>& mounts) {
  std::string why = cause(arguments, log);
  if (why.empty()) why = error != 0 ? rte_strerror(error) : "it does not say why";
  std::string line;
  for (const std::string& argument : arguments) line += " " + argument;
  return "EAL does not start (" + why + ") with" + line + remedy(arguments, mounts);
}

}  // namespace lambdacast::dpdk
