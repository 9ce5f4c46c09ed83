// SPDX-License-Identifier: BSD-3-Clause
// A file that keeps the rows of a report that are finished, so that a command that was stopped goes
// on behind them: a line of JSON a row, {"key": ..., "row": ...}. The key says all that a row hangs
// on. A last line that was cut short is left out, and measured again.
#pragma once

#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

namespace lambdacast::sim_program {

class FinishedRows {
 public:
  using Json = nlohmann::ordered_json;

  // An empty path: no file, and nothing is kept. False: it cannot be written.
  [[nodiscard]] bool open(const std::string& path) {
    if (path.empty()) return true;
    std::ifstream before(path);
    bool whole = true;  // the last line
    for (std::string line; std::getline(before, line);) {
      whole = !before.eof();
      const Json json = Json::parse(line, nullptr, false);
      if (!json.is_discarded() && json.contains("key") && json.contains("row"))
        rows_[json["key"].dump()] = json["row"];
    }
    file_.open(path, std::ios::app);
    if (!whole) file_ << '\n';
    return file_.good();
  }
  // Null: it is not finished.
  [[nodiscard]] Json find(const Json& key) const {
    const auto found = rows_.find(key.dump());
    return found == rows_.end() ? Json() : found->second;
  }
  // Any thread may keep one.
  void keep(const Json& key, const Json& row) {
    const std::scoped_lock lock(keeping_);
    if (file_.is_open()) file_ << Json({{"key", key}, {"row", row}}).dump() << std::endl;
  }

 private:
  std::map<std::string, Json> rows_;  // by key
  std::mutex keeping_;
  std::ofstream file_;
};

}  // namespace lambdacast::sim_program
