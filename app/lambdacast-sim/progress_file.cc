#include "progress_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lambdacast::app {

void SeedRanges::add(uint64_t first, uint64_t last) {
  ranges_.push_back({first, last});
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
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const Range& range) { return seed >= range.first && seed <= range.last; });
}

base::Result<void> load_progress(const std::string& path, Progress& out) {
  std::ifstream file(path);
  if (!file) return {};
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    for (const auto& range : json.at("done")) out.done.add(range.at(0), range.at(1));
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
  SeedRanges done = progress.done;
  std::vector<uint64_t> finished = progress.finished;
  std::sort(finished.begin(), finished.end());
  for (size_t i = 0; i < finished.size();) {
    size_t end = i + 1;
    while (end < finished.size() && finished[end] == finished[end - 1] + 1) ++end;
    done.add(finished[i], finished[end - 1]);
    i = end;
  }
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

}  // namespace lambdacast::app
