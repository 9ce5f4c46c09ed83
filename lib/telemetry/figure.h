// SPDX-License-Identifier: BSD-3-Clause
// The figures of a process, described once: each has its name, kind, unit and help
// sentence in the table of its subject, and console, telemetry and exporter all read that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

namespace lambdacast::telemetry {

enum class Kind : uint8_t {
  kLabel,    // whose the row's figures are: endpoint, stage, peer ...; together they name the row
  kText,     // a word or two
  kCounter,  // only grows while the process runs
  kGauge,    // goes up and down
};
[[nodiscard]] const char* name(Kind kind);

// The unit in which a figure is stored and sent: whole numbers in the unit that loses nothing.
enum class Unit : uint8_t {
  kNone,
  kPackets,
  kFrames,
  kMessages,
  kBytes,
  kNanoseconds,
  kMicroseconds,
  kPacketsPerSecond,
  kBitsPerSecond,
  kGigahertz,
  kPicometres,
  kMillidecibels,
  kMillidecibelMilliwatts,  // power: 1000 is 1 dBm
  kPermille,
  kThousandths,  // of a number that is no share
  kPpb,          // parts in a thousand million: probabilities
};
// The unit's word, singular where it is a symbol: "packets", "ns", "mdB"; "" for kNone.
[[nodiscard]] const char* name(Unit unit);

struct Figure {
  const char* name;  // snake_case, the same everywhere
  Kind kind;
  Unit unit;
  const char* help;  // one sentence with its full stop, 127 bytes at most (telemetry's limit)
};

using Value = std::variant<uint64_t, int64_t, std::string>;

struct Table {
  std::vector<Figure> figures;
  std::vector<std::vector<Value>> rows;  // as wide as figures
  std::vector<std::string> notes;        // warnings, for people: a sentence each
};

// A figure with the way to get it from the plain structure that a subject's rows are.
template <typename Row>
struct FigureOf {
  Figure figure;
  Value (*get)(const Row&);
};

template <typename Row, size_t n>
[[nodiscard]] Table make_table(const FigureOf<Row> (&figures)[n], const std::vector<Row>& rows) {
  Table table;
  for (const FigureOf<Row>& each : figures) table.figures.push_back(each.figure);
  for (const Row& row : rows) {
    std::vector<Value>& values = table.rows.emplace_back();
    values.reserve(n);
    for (const FigureOf<Row>& each : figures) values.push_back(each.get(row));
  }
  return table;
}

// `now` with its counters counted from `then`, row by row with the same labels; a row that `then`
// lacks stays as it is.
[[nodiscard]] Table since(const Table& now, const Table& then);

}  // namespace lambdacast::telemetry
