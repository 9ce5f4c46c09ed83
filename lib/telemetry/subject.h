// SPDX-License-Identifier: BSD-3-Clause
// A subject is one table of figures with a name: /lambdacast/NAME in telemetry, `show ...` on the
// console. Each stands in a file of its own, next to the description of its figures.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "telemetry/figure.h"
#include "telemetry/snapshot.h"

namespace lambdacast::telemetry {

enum class Layout : uint8_t {
  kGrid,   // a row a line: few figures, many rows
  kSheet,  // a figure a line, a column a row: many figures, few rows
};

struct Subject {
  const char* name;   // one word, of a telemetry key's letters
  const char* words;  // behind `show`; where the last is "all" an endpoint may stand in its place
  const char* help;   // one sentence with its full stop
  Layout layout;
  Needs needs;
  Table (*table)(const Snapshot&);
};

[[nodiscard]] std::span<const Subject> subjects();
[[nodiscard]] const Subject* find_subject(std::string_view name);  // null: none

// The rows whose label "endpoint" is that; all of them if the table has no such label.
[[nodiscard]] Table of_endpoint(Table table, const std::string& endpoint);

[[nodiscard]] Table drops_table(const Snapshot& snapshot);
[[nodiscard]] Table endpoint_table(const Snapshot& snapshot);
[[nodiscard]] Table fabric_table(const Snapshot& snapshot);
[[nodiscard]] Table groups_table(const Snapshot& snapshot);
[[nodiscard]] Table handlers_table(const Snapshot& snapshot);
[[nodiscard]] Table lcores_table(const Snapshot& snapshot);
[[nodiscard]] Table losses_table(const Snapshot& snapshot);
[[nodiscard]] Table members_table(const Snapshot& snapshot);
[[nodiscard]] Table peers_table(const Snapshot& snapshot);
[[nodiscard]] Table port_info_table(const Snapshot& snapshot);
[[nodiscard]] Table port_stats_table(const Snapshot& snapshot);
[[nodiscard]] Table port_xstats_table(const Snapshot& snapshot);
[[nodiscard]] Table rate_table(const Snapshot& snapshot);
[[nodiscard]] Table reliability_table(const Snapshot& snapshot);
[[nodiscard]] Table requests_table(const Snapshot& snapshot);
[[nodiscard]] Table shares_table(const Snapshot& snapshot);
[[nodiscard]] Table stages_table(const Snapshot& snapshot);
[[nodiscard]] Table view_table(const Snapshot& snapshot);
[[nodiscard]] Table wavelengths_table(const Snapshot& snapshot);

}  // namespace lambdacast::telemetry
