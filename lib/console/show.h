// SPDX-License-Identifier: BSD-3-Clause
// `show ...` for every subject of lib/telemetry, and `clear stats`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "console/command.h"
#include "telemetry/subject.h"

namespace lambdacast::console {

// Shows counters since the last clear(). What counts goes on counting: telemetry and the verdict
// at the end have all of it.
class Show {
 public:
  explicit Show(const telemetry::Source& source) : source_(source) {}

  [[nodiscard]] std::vector<Command> commands();

 private:
  struct Shown {
    telemetry::Table table;
    uint64_t at_ns = 0;
  };
  [[nodiscard]] telemetry::Table table_of(const telemetry::Subject& subject,
                                          const std::string& endpoint);
  void add_rates(const telemetry::Subject& subject, telemetry::Table& table, uint64_t now_ns);
  void clear();

  telemetry::Source source_;
  std::map<std::string, telemetry::Table> cleared_;  // by subject
  std::map<std::string, Shown> last_;                // of subjects that show rates
};

}  // namespace lambdacast::console
