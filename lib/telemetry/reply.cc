// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/reply.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace lambdacast::telemetry {
namespace {

// DPDK 22.11 answers with 16 KiB at most, and drops members that do not fit.
constexpr size_t kRoomBytes = 15 * 1024;
constexpr size_t kMaxRows = RTE_TEL_MAX_DICT_ENTRIES - 1;

// Of a row as JSON at most: quotes, colon, comma and space around each, escapes in texts.
size_t json_bytes(const Table& table, const std::vector<Value>& row) {
  size_t bytes = 16;
  for (size_t i = 0; i < row.size(); ++i) {
    const auto* text = std::get_if<std::string>(&row[i]);
    bytes += std::strlen(table.figures[i].name) + 8 + (text == nullptr ? 20 : 2 * text->size());
  }
  return bytes;
}

}  // namespace

void add_row(rte_tel_data* data, const Table& table, const std::vector<Value>& row) {
  for (size_t i = 0; i < row.size(); ++i) {
    const char* name = table.figures[i].name;
    if (const auto* count = std::get_if<uint64_t>(&row[i])) {
      rte_tel_data_add_dict_u64(data, name, *count);
    } else if (const auto* number = std::get_if<int64_t>(&row[i])) {
      using Limits = std::numeric_limits<int>;
      rte_tel_data_add_dict_int(
          data, name, static_cast<int>(std::clamp<int64_t>(*number, Limits::min(), Limits::max())));
    } else {
      rte_tel_data_add_dict_string(data, name, std::get<std::string>(row[i]).c_str());
    }
  }
}

void reply_rows(rte_tel_data* data, const Table& table, size_t first) {
  rte_tel_data_start_dict(data);
  rte_tel_data_add_dict_u64(data, "total", table.rows.size());
  rte_tel_data* rows = rte_tel_data_alloc();
  if (rows == nullptr) return;
  rte_tel_data_start_dict(rows);
  size_t room_bytes = kRoomBytes;
  size_t next = first;
  for (; next < table.rows.size() && next - first < kMaxRows; ++next) {
    const size_t bytes = json_bytes(table, table.rows[next]);
    if (bytes > room_bytes) break;
    rte_tel_data* row = rte_tel_data_alloc();
    if (row == nullptr) break;
    room_bytes -= bytes;
    rte_tel_data_start_dict(row);
    add_row(row, table, table.rows[next]);
    rte_tel_data_add_dict_container(rows, std::to_string(next).c_str(), row, 0);
  }
  rte_tel_data_add_dict_container(data, "rows", rows, 0);
  if (next < table.rows.size()) rte_tel_data_add_dict_u64(data, "next", next);
}

void reply_figures(rte_tel_data* data, const Table& table) {
  rte_tel_data_start_dict(data);
  for (const Figure& figure : table.figures) {
    const std::string unit = name(figure.unit);
    const std::string text =
        std::string(name(figure.kind)) + " " + (unit.empty() ? "-" : unit) + " " + figure.help;
    rte_tel_data_add_dict_string(data, figure.name, text.c_str());
  }
}

}  // namespace lambdacast::telemetry
