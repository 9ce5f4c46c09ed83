// SPDX-License-Identifier: BSD-3-Clause
#include "latency_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/plain_text.h"

namespace lambdacast::bench {
namespace {

constexpr std::pair<const char*, double> kQuantiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}};

std::string row(const char* name, const base::Histogram& ns) {
  std::string text = fmt::format("  {:<26}{:>9}", name, ns.min());
  for (const auto& [_, quantile] : kQuantiles) text += fmt::format(" {:>9}", ns.value_at(quantile));
  return text + fmt::format(" {:>9}\n", ns.max());
}

std::string account(const char* name, const LatencySeries& s) {
  std::string text =
      fmt::format("  {}: {} sent, {} received, {} LOST", name, s.sent, s.received(), s.lost());
  if (s.sound() && s.lost() == 0) return {};
  if (!s.sound()) {
    text += fmt::format(", {} twice, {} STRANGE, {} before they were sent: NOT SOUND", s.repeated,
                        s.strange, s.negative);
  }
  return text + "\n";
}

void add_percentiles(nlohmann::ordered_json& json, const std::string& prefix,
                     const base::Histogram& ns) {
  for (const auto& [name, quantile] : kQuantiles) {
    json[fmt::format("{}{}_ns", prefix, name)] = ns.value_at(quantile);
  }
  json[prefix + "max_ns"] = ns.max();
  json[prefix + "min_ns"] = ns.min();
  json[prefix + "mean_ns"] = ns.mean();
}

}  // namespace

std::string text_of(const LatencyReport& r, const LatencyOptions& options) {
  std::string text = fmt::format(
      "latency: {}, {} bytes of the application, {:.0f} messages a second, {} received\n",
      options.mode_text(), options.payload_bytes, r.rate, r.full.received());
  if (r.max_rate) text += fmt::format("  most: {:.0f} messages a second\n", *r.max_rate);
  text += fmt::format("  {:<26}{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "ns", "least", "50 %",
                      "90 %", "99 %", "99.9 %", "99.99 %", "longest");
  text += row("endpoint to endpoint", r.full.sent_to_delivered);
  text += row("  from when it was due", r.full.due_to_delivered);
  if (r.bare) text += row("bare port to port", r.bare->sent_to_delivered);
  text += account("endpoints", r.full);
  if (r.bare) text += account("bare ports", *r.bare);
  for (const auto& [reason, count] : r.lost_packets) {
    text += fmt::format("  lost {} packets: {}\n", count, reason);
  }
  return text;
}

std::string json_of(const LatencyReport& r, const LatencyOptions& options) {
  nlohmann::ordered_json json = {
      {"benchmark", "latency"},
      {"mode", options.mode_text()},
      {"payload_bytes", options.payload_bytes},
      {"count", options.count},
      {"rate", r.rate},
      {"sent", r.full.sent},
      {"received", r.full.received()},
      {"lost", r.full.lost()},
      {"lost_packets_by_reason", r.lost_packets},
      {"sound", r.full.sound()},
  };
  if (r.max_rate) json["max_rate"] = *r.max_rate;
  if (options.pair.config_file.empty()) {
    json["lcores"] = options.pair.lcores;
    json["idle"] = config::name(options.pair.idle);
  } else {
    json["config"] = base::shown(options.pair.config_file);
  }
  add_percentiles(json, "", r.full.sent_to_delivered);
  add_percentiles(json, "intended_", r.full.due_to_delivered);
  if (r.bare) {
    add_percentiles(json, "bare_", r.bare->sent_to_delivered);
    json["bare_sent"] = r.bare->sent;
    json["bare_lost"] = r.bare->lost();
    json["bare_sound"] = r.bare->sound();
  }
  json["error_bound"] = 1.0 / (1u << base::Histogram::kPrecisionBits);
  return json.dump(2) + "\n";
}

Plot plot_of(const LatencyReport& r, const LatencyOptions& options) {
  Plot plot;
  plot.title = fmt::format("Latency, {}: {} bytes of the application, {:.0f} messages a second",
                           options.mode_text(), options.payload_bytes, r.rate);
  plot.x_label = "percentile";
  plot.y_label = "latency, us";
  plot.by_percentile = true;
  plot.curves.push_back(percentiles_of("endpoint to endpoint", r.full.sent_to_delivered));
  plot.curves.push_back(percentiles_of("from when it was due", r.full.due_to_delivered));
  if (r.bare) plot.curves.push_back(percentiles_of("bare ports", r.bare->sent_to_delivered));
  return plot;
}

}  // namespace lambdacast::bench
