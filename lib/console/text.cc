// SPDX-License-Identifier: BSD-3-Clause
#include "console/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plain_text.h"

namespace lambdacast::console {
namespace {

using telemetry::Figure;
using telemetry::Kind;
using telemetry::Table;
using telemetry::Unit;
using telemetry::Value;

// Units that people write otherwise than they are stored: a power of ten between them.
struct Scale {
  Unit unit;
  const char* shown;
  int decimals;
};
constexpr Scale kScales[] = {
    {Unit::kGigahertz, "THz", 3},    {Unit::kPicometres, "nm", 3},
    {Unit::kMillidecibels, "dB", 3}, {Unit::kMillidecibelMilliwatts, "dBm", 3},
    {Unit::kPermille, "%", 1},       {Unit::kPpb, "", 9},
    {Unit::kThousandths, "", 3},
};

const Scale* scale_of(Unit unit) {
  const auto* found = std::find_if(std::begin(kScales), std::end(kScales),
                                   [&](const Scale& scale) { return scale.unit == unit; });
  return found == std::end(kScales) ? nullptr : found;
}

std::string with_point(uint64_t number, int decimals) {
  uint64_t one = 1;
  for (int i = 0; i < decimals; ++i) one *= 10;
  return fmt::format("{}.{:0{}}", with_separators(number / one), number % one, decimals);
}

bool is_number(const Figure& figure) {
  return figure.kind == Kind::kCounter || figure.kind == Kind::kGauge;
}

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string space(width - std::min(width, base::columns_of(text)), ' ');
  return right ? space + text : text + space;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Cells as text, the first rows being the headings, printed in columns as wide as they need.
std::string columns(const std::vector<std::vector<std::string>>& lines,
                    const std::vector<bool>& right) {
  std::vector<size_t> widths(right.size());
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], base::columns_of(line[i]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (size_t i = 0; i < line.size(); ++i) {
      if (i != 0) row += "  ";
      row += padded(line[i], widths[i], right[i]);
    }
    text += trimmed(row);
  }
  return text;
}

// What a wide terminal shows of a grid; the rest stands below it, with the same labels in front.
constexpr size_t kGridColumns = 160;

// The columns of a grid as it is shown: in parts, each of them its labels and as many more as fit.
std::vector<std::vector<size_t>> parts_of(const Table& table,
                                          const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths(table.figures.size());
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], base::columns_of(line[i]) + 2);
  }
  std::vector<size_t> labels;
  size_t label_width = 0;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (table.figures[i].kind != Kind::kLabel) continue;
    labels.push_back(i);
    label_width += widths[i];
  }
  std::vector<std::vector<size_t>> parts = {labels};
  size_t width = label_width;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (table.figures[i].kind == Kind::kLabel) continue;
    if (width + widths[i] > kGridColumns && parts.back().size() > labels.size()) {
      parts.push_back(labels);
      width = label_width;
    }
    parts.back().push_back(i);
    width += widths[i];
  }
  return parts;
}

std::string grid(const Table& table) {
  std::vector<std::vector<std::string>> lines(2);
  for (const Figure& figure : table.figures) {
    lines[0].emplace_back(figure.name);
    lines[1].emplace_back(shown_unit(figure.unit));
  }
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) line.push_back(shown(row[i], table.figures[i].unit));
  }
  std::string text;
  for (const std::vector<size_t>& part : parts_of(table, lines)) {
    std::vector<std::vector<std::string>> chosen(lines.size());
    std::vector<bool> right;
    for (const size_t i : part) {
      for (size_t line = 0; line < lines.size(); ++line) chosen[line].push_back(lines[line][i]);
      right.push_back(is_number(table.figures[i]));
    }
    if (!text.empty()) text += '\n';
    text += columns(chosen, right);
  }
  return text;
}

std::string sheet(const Table& table) {
  std::vector<std::vector<std::string>> lines;
  for (size_t i = 0; i < table.figures.size(); ++i) {
    auto& line = lines.emplace_back();
    line.emplace_back(table.figures[i].name);
    for (const auto& row : table.rows) line.push_back(shown(row[i], table.figures[i].unit));
    line.emplace_back(shown_unit(table.figures[i].unit));
  }
  std::vector<bool> right(table.rows.size() + 2, true);
  right.front() = right.back() = false;
  return columns(lines, right);
}

}  // namespace

std::string with_separators(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string with_separators(int64_t number) {
  const uint64_t size = number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  return fmt::format("{}{}", number < 0 ? "-" : "", with_separators(size));
}

std::string shown(const Value& value, Unit unit) {
  if (const auto* text = std::get_if<std::string>(&value)) return base::shown(*text);
  const Scale* scale = scale_of(unit);
  const auto* positive = std::get_if<uint64_t>(&value);
  const int64_t sign = positive == nullptr ? std::get<int64_t>(value) : 0;
  if (scale == nullptr) return positive ? with_separators(*positive) : with_separators(sign);
  const uint64_t size = positive   ? *positive
                        : sign < 0 ? -static_cast<uint64_t>(sign)
                                   : static_cast<uint64_t>(sign);
  return fmt::format("{}{}", sign < 0 ? "-" : "", with_point(size, scale->decimals));
}

const char* shown_unit(Unit unit) {
  const Scale* scale = scale_of(unit);
  return scale == nullptr ? telemetry::name(unit) : scale->shown;
}

std::string render(const Table& table, telemetry::Layout layout) {
  std::string text = layout == telemetry::Layout::kGrid ? grid(table) : sheet(table);
  for (const std::string& note : table.notes) text += note + "\n";
  return text;
}

}  // namespace lambdacast::console
