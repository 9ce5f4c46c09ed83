// SPDX-License-Identifier: BSD-3-Clause
#include "figures.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/plain_text.h"

namespace lambdacast::bench {
namespace {

constexpr struct {
  const char* name;
  const char* sentence;
  double quantile;
} kQuantiles[] = {{"p50", "50 %", 0.5},
                  {"p90", "90 %", 0.9},
                  {"p99", "99 %", 0.99},
                  {"p999", "99.9 %", 0.999},
                  {"p9999", "99.99 %", 0.9999}};

// The number to print, and the unit it is then in.
std::pair<double, std::string> handy(double value, const std::string& unit) {
  const double size = std::abs(value);
  if (unit == "bit/s" && size >= 1e9) return {value / 1e9, "Gb/s"};
  if (unit == "bit/s" && size >= 1e6) return {value / 1e6, "Mb/s"};
  if (unit == "ns" && size >= 1e7) return {value / 1e6, "ms"};
  if (unit == "ns" && size >= 1e4) return {value / 1e3, "us"};
  return {value, unit};
}

std::string number_text(const Json& value, const std::string& unit) {
  const auto [number, shown_unit] = handy(value.get<double>(), unit);
  std::string text = value.is_number_integer() && shown_unit == unit ? value.dump()
                     : std::abs(number) >= 1000                      ? fmt::format("{:.0f}", number)
                                                : fmt::format("{:.4g}", number);
  if (!shown_unit.empty()) text += " " + shown_unit;
  return text;
}

std::string value_text(const Json& value, const std::string& unit) {
  if (value.is_number()) return number_text(value, unit);
  if (value.is_string()) return base::shown(value.get<std::string>());
  std::string text;
  for (const Json& each : value) text += (text.empty() ? "" : ", ") + value_text(each, "");
  return text;
}

bool is_zero(const Json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  return value.is_number() ? value.get<double>() == 0 : value.empty();
}

std::string truth_text(const std::string& sentence, bool value) {
  const size_t bar = sentence.find('|');
  return value ? sentence.substr(0, bar) : sentence.substr(std::min(bar, sentence.size() - 1) + 1);
}

// What an object counts, a line each: "  lost at receiver node1 ring_overrun: 5 packets".
std::string branch_text(const std::string& path, const Json& value, const std::string& unit) {
  if (!value.is_object()) return fmt::format("  {}: {}\n", path, value_text(value, unit));
  std::string text;
  for (const auto& [key, below] : value.items())
    text += branch_text(path + " " + base::shown(key), below, unit);
  return text;
}

std::string phrase(const Reading& reading) {
  if (reading.value.is_boolean()) return truth_text(reading.sentence, reading.value.get<bool>());
  const std::string value = value_text(reading.value, reading.unit);
  return reading.sentence.empty() ? value : fmt::format("{} {}", reading.sentence, value);
}

}  // namespace

void read_times(Readings& readings, const std::string& prefix, const std::string& sentence,
                const base::Histogram& ns) {
  readings.push_back({prefix + "min_ns", "ns", sentence + ": least", ns.min()});
  for (const auto& [name, label, quantile] : kQuantiles) {
    readings.push_back({prefix + name + "_ns", "ns", label, ns.value_at(quantile), kBeside});
  }
  readings.push_back({prefix + "max_ns", "ns", "longest", ns.max(), kBeside});
  readings.push_back({prefix + "mean_ns", "ns", "mean", ns.mean(), kNever});
}

std::string text_of(const Readings& readings) {
  std::string text;
  bool line_shown = true;  // whether the last figure with a line of its own has one
  const char* joint = ": ";
  for (const Reading& reading : readings) {
    if (reading.shown == kNever) continue;
    if (reading.shown != kBeside) line_shown = reading.shown == kLine || !is_zero(reading.value);
    if (!line_shown) continue;
    if (reading.shown == kBeside) {
      text.pop_back();
      text += joint + phrase(reading) + "\n";
      joint = ", ";
      continue;
    }
    text += reading.value.is_object() ? branch_text(reading.sentence, reading.value, reading.unit)
                                      : (text.empty() ? "" : "  ") + phrase(reading) + "\n";
    if (text.find('\n') + 1 != text.size()) joint = ", ";
  }
  return text;
}

Json object_of(const Readings& readings) {
  Json json = Json::object();
  for (const Reading& reading : readings) json[reading.name] = reading.value;
  return json;
}

std::string json_of(const Readings& readings) {
  return object_of(readings).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

double per_second(uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

}  // namespace lambdacast::bench
