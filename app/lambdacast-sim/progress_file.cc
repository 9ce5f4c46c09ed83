// SPDX-License-Identifier: BSD-3-Clause
#include "progress_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lambdacast::sim_program {

void SeedRanges::add(const std::vector<Range>& more) {
  ranges_.insert(ranges_.end(), more.begin(), more.end());
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  std::vector<Range> joined;
  for (const Range& range : ranges_) {
    if (!joined.empty() && range.first <= joined.back().last + 1) {
      joined.back().last = std::max(joined.back().last, range.last);
    } else {
      joined.push_back(range);
    }
  }
  ranges_ = std::move(joined);
}

bool SeedRanges::contains(uint64_t seed) const {
  const auto range = std::partition_point(ranges_.begin(), ranges_.end(),
                                          [&](const Range& each) { return each.last < seed; });
  return range != ranges_.end() && range->first <= seed;
}

base::Result<void> load_progress(const std::string& path, Progress& out) {
  std::ifstream file(path);
  if (!file) return {};
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    std::vector<SeedRanges::Range> done;
    for (const auto& range : json.at("done")) done.push_back({range.at(0), range.at(1)});
    out.done.add(done);
    for (const auto& seed : json.at("failed")) out.failed.insert(seed.get<uint64_t>());
    const auto& coverage = json.at("coverage");
    out.coverage.for_each([&](const char* name, const char*, uint64_t& value) {
      value = coverage.value(name, uint64_t{0});
    });
  } catch (const nlohmann::json::exception& error) {
    return base::fail(
        fmt::format("{} is no progress file of lambdacast-sim ({}): remove it, or name another one",
                    path, error.what()));
  }
  return {};
}

base::Result<void> save_progress(const std::string& path, const Progress& progress) {
  std::vector<SeedRanges::Range> finished;
  for (const uint64_t seed : progress.finished) finished.push_back({seed, seed});
  SeedRanges done = progress.done;
  done.add(finished);
  nlohmann::json json;
  json["done"] = nlohmann::json::array();
  for (const auto& range : done.ranges()) json["done"].push_back({range.first, range.last});
  json["failed"] = progress.failed;
  sim::Coverage coverage = progress.coverage;
  coverage.for_each(
      [&](const char* name, const char*, uint64_t& value) { json["coverage"][name] = value; });
  const std::string beside = path + ".new";
  std::ofstream file(beside);
  file << json.dump(1) << '\n';
  file.close();
  if (!file || std::rename(beside.c_str(), path.c_str()) != 0)
    return base::fail(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  return {};
}

}  // namespace lambdacast::sim_program
