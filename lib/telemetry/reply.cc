// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/reply.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/plain_text.h"

namespace lambdacast::telemetry {
namespace {

// DPDK 22.11 answers with 16 KiB at most, and drops members that do not fit.
constexpr size_t kRoomBytes = 15 * 1024;
constexpr size_t kMaxRows = RTE_TEL_MAX_DICT_ENTRIES - 1;

// What DPDK carries of a text in one member, and in how many a longer one goes on.
constexpr size_t kMaxTextBytes = RTE_TEL_MAX_STRING_LEN - 1;
constexpr size_t kMaxParts = 8;

// DPDK looks bytes up in a table of escapes by an index that has the sign of char: beyond ASCII it
// reads what lies in front of the table. So it is given ASCII alone, cut between escapes.
std::vector<std::string> parts_of(std::string_view text) {
  const std::string escaped = base::ascii_escaped(text);
  if (escaped.size() <= kMaxTextBytes) return {escaped};
  std::vector<std::string> parts(1);
  for (std::string_view rest = escaped; !rest.empty();) {
    const std::string_view one = rest.substr(0, base::ascii_escape_bytes(rest));
    if (parts.back().size() + one.size() > kMaxTextBytes) {
      if (parts.size() == kMaxParts) break;
      parts.emplace_back();
    }
    parts.back() += one;
    rest.remove_prefix(one.size());
  }
  return parts;
}

// The member's name for each part: NAME, NAME/2, NAME/3.
std::string part_name(const char* name, size_t part) {
  return part == 0 ? std::string(name) : std::string(name) + "/" + std::to_string(part + 1);
}

// The most bytes of a row as JSON: quotes, colon, comma and space around each value, and DPDK's
// escapes.
size_t json_bytes(const Table& table, const std::vector<Value>& row) {
  constexpr size_t kAround = 8, kNumber = 20;
  size_t bytes = 2 * kAround;
  for (size_t i = 0; i < row.size(); ++i) {
    const size_t head = std::strlen(table.figures[i].name) + kAround;
    const auto* text = std::get_if<std::string>(&row[i]);
    if (text == nullptr) {
      bytes += head + kNumber;
      continue;
    }
    for (const std::string& part : parts_of(*text)) {
      const auto escapes =
          std::count_if(part.begin(), part.end(), [](char c) { return c == '"' || c == '\\'; });
      bytes += head + 2 + part.size() + static_cast<size_t>(escapes);
    }
  }
  return bytes;
}

void add_text(rte_tel_data* data, const char* name, const std::string& text) {
  const std::vector<std::string> parts = parts_of(text);
  for (size_t i = 0; i < parts.size(); ++i)
    rte_tel_data_add_dict_string(data, part_name(name, i).c_str(), parts[i].c_str());
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
      add_text(data, name, std::get<std::string>(row[i]));
    }
  }
}

std::optional<size_t> reply_rows(rte_tel_data* data, const Table& table, size_t first) {
  rte_tel_data_start_dict(data);
  rte_tel_data_add_dict_u64(data, "total", table.rows.size());
  rte_tel_data* rows = rte_tel_data_alloc();
  if (rows == nullptr) return std::nullopt;
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
  if (next >= table.rows.size()) return std::nullopt;
  rte_tel_data_add_dict_u64(data, "next", next);
  return next;
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
