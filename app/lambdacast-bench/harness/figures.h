// SPDX-License-Identifier: BSD-3-Clause
// What a benchmark found, as a table of figures: each has one row, and the report for people and
// the JSON are both written from it.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "base/histogram.h"

namespace lambdacast::bench {

using Json = nlohmann::ordered_json;

// Where the text tells a figure. JSON has them all.
enum class Shown : uint8_t {
  kLine,     // on a line of its own
  kBeside,   // on the line of the figure before, if that is shown
  kNotZero,  // on a line of its own unless it is zero, false or empty
  kNever,
};
using enum Shown;

// A row. A getter that returns null leaves the figure out of this report. A sentence about a truth
// is two, with '|' between: what to say if it is true, and if it is not.
template <typename Report, typename Options>
struct Figure {
  const char* name;      // in JSON
  const char* unit;      // "": none; "ns" and "bit/s" are told in handy multiples
  const char* sentence;  // names the value in the text
  Json (*get)(const Report&, const Options&);
  Shown shown = kLine;
};

// The getter of what a member holds or returns: of the report or of the options, or of a part of
// these that the members before it lead to. A function may want the options.
template <auto first, auto... rest, typename Owner, typename Options>
Json follow(const Owner& owner, const Options& options) {
  if constexpr (std::is_invocable_v<decltype(first), const Owner&, const Options&>) {
    return std::invoke(first, owner, options);
  } else {
    decltype(auto) value = std::invoke(first, owner);
    if constexpr (sizeof...(rest) != 0)
      return follow<rest...>(value, options);
    else
      return value;
  }
}
template <auto first, auto... rest, typename Report, typename Options>
Json of(const Report& report, const Options& options) {
  if constexpr (std::is_invocable_v<decltype(first), const Report&> ||
                std::is_invocable_v<decltype(first), const Report&, const Options&>)
    return follow<first, rest...>(report, options);
  else
    return follow<first, rest...>(options, options);
}

// A figure with its value.
struct Reading {
  std::string name;
  std::string unit;
  std::string sentence;
  Json value;
  Shown shown = kLine;
};
using Readings = std::vector<Reading>;

// Adds what a table reads.
template <typename Report, typename Options, size_t rows>
void read(Readings& readings, const Figure<Report, Options> (&table)[rows], const Report& report,
          const Options& options) {
  for (const auto& row : table) {
    Json value = row.get(report, options);
    if (value.is_null()) continue;
    readings.push_back({row.name, row.unit, row.sentence, std::move(value), row.shown});
  }
}
// The same as a list, headed by the benchmark's name.
template <typename Report, typename Options, size_t rows>
[[nodiscard]] Readings read(const char* benchmark, const Figure<Report, Options> (&table)[rows],
                            const Report& report, const Options& options) {
  Readings readings = {{"benchmark", "", "", benchmark}};
  read(readings, table, report, options);
  return readings;
}

// Adds least, percentiles, longest and mean of times on one line: PREFIXp50_ns and so on.
void read_times(Readings& readings, const std::string& prefix, const std::string& sentence,
                const base::Histogram& ns);

// The first reading is the benchmark's name, and heads the text.
[[nodiscard]] std::string text_of(const Readings& readings);
[[nodiscard]] Json object_of(const Readings& readings);
[[nodiscard]] std::string json_of(const Readings& readings);

// Shared by getters.
[[nodiscard]] double per_second(uint64_t count, double seconds);  // 0 in no time

}  // namespace lambdacast::bench
