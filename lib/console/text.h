// SPDX-License-Identifier: BSD-3-Clause
// Figures as people read them: units, thousands separators, columns.
#pragma once

#include <cstdint>
#include <string>

#include "telemetry/subject.h"

namespace lambdacast::console {

// 1234567 -> "1,234,567"
[[nodiscard]] std::string with_separators(uint64_t number);
[[nodiscard]] std::string with_separators(int64_t number);

// A value without its unit, scaled to the one that shown_unit() names: 193400 GHz -> "193.400".
[[nodiscard]] std::string shown(const telemetry::Value& value, telemetry::Unit unit);
[[nodiscard]] const char* shown_unit(telemetry::Unit unit);

// The table, each line with its line feed; a heading even without rows.
[[nodiscard]] std::string render(const telemetry::Table& table, telemetry::Layout layout);

}  // namespace lambdacast::console
