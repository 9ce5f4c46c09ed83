// SPDX-License-Identifier: BSD-3-Clause
#include "throughput_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/plain_text.h"

namespace lambdacast::bench {
namespace {

double per_second(uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

double messages_per_packet(const ThroughputReport& r) {
  return r.packets == 0 ? 0 : static_cast<double>(r.messages) / static_cast<double>(r.packets);
}

}  // namespace

std::string text_of(const ThroughputReport& r, const ThroughputOptions& options) {
  std::string text = fmt::format(
      "throughput: {} bytes of the application, pace {}, fill {}, coalesce {}\n"
      "  delivered {} messages in {} packets, {:.3f} s\n"
      "  {:.0f} messages/s, {:.0f} packets/s, goodput {:.3f} Gb/s\n",
      options.payload_bytes, options.pace.text(), options.fill_text(), options.coalesce_text(),
      r.messages, r.packets, r.elapsed_s, per_second(r.messages, r.elapsed_s),
      per_second(r.packets, r.elapsed_s), per_second(r.bytes * 8, r.elapsed_s) / 1e9);
  if (r.lost_messages() != 0) {
    text +=
        fmt::format("  LOST {} of {} messages sent\n", r.lost_messages(), r.total_sent_messages);
  }
  if (r.wrong_content != 0) {
    text += fmt::format("  WRONG CONTENT in {} messages\n", r.wrong_content);
  }
  if (r.window_timeouts != 0) text += fmt::format("  window timeouts {}\n", r.window_timeouts);
  return text;
}

std::string json_of(const ThroughputReport& r, const ThroughputOptions& options) {
  nlohmann::ordered_json json = {
      {"benchmark", "throughput"},
      {"payload_bytes", options.payload_bytes},
      {"pace", options.pace.text()},
      {"fill", options.fill_text()},
      {"coalesce", options.coalesce_text()},
      {"messages_per_second", per_second(r.messages, r.elapsed_s)},
      {"packets_per_second", per_second(r.packets, r.elapsed_s)},
      {"goodput_bps", per_second(r.bytes * 8, r.elapsed_s)},
      {"elapsed_s", r.elapsed_s},
      {"messages", r.messages},
      {"packets", r.packets},
      {"messages_per_packet", messages_per_packet(r)},
      {"sent_messages_per_second", per_second(r.sent_messages, r.sent_elapsed_s)},
      {"sent_packets_per_second", per_second(r.sent_packets, r.sent_elapsed_s)},
      {"total_sent_messages", r.total_sent_messages},
      {"total_messages", r.total_messages},
      {"lost_messages", r.lost_messages()},
      {"lost_packets_by_reason", r.lost_packets},
      {"wrong_content", r.wrong_content},
      {"window_timeouts", r.window_timeouts},
      {"sound", r.sound()},
  };
  if (options.pair.config_file.empty()) {
    json["lcores"] = options.pair.lcores;
    json["icrc"] = config::name(options.pair.icrc);
  } else {
    json["config"] = base::shown(options.pair.config_file);
  }
  return json.dump(2) + "\n";
}

Plot plot_of(const ThroughputReport& r, const ThroughputOptions& options) {
  Plot plot;
  plot.title = fmt::format("Throughput: {} bytes of the application, goodput {:.3f} Gb/s",
                           options.payload_bytes, per_second(r.bytes * 8, r.elapsed_s) / 1e9);
  plot.x_label = "s";
  plot.y_label = "thousand messages a second";
  Curve curve{"delivered", {}};
  for (const ThroughputInterval& interval : r.intervals) {
    curve.points.emplace_back(interval.end_s, interval.messages_per_second / 1000);
  }
  plot.curves.push_back(std::move(curve));
  return plot;
}

base::Histogram rates_of(const ThroughputReport& report) {
  base::Histogram rates;
  for (const ThroughputInterval& interval : report.intervals) {
    rates.record(static_cast<uint64_t>(interval.messages_per_second));
  }
  return rates;
}

}  // namespace lambdacast::bench
