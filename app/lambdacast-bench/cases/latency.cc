// SPDX-License-Identifier: BSD-3-Clause
#include "latency.h"

#include <fmt/format.h>

#include "../harness/option_groups.h"
#include "base/plain_text.h"
#include "latency_recorder.h"

namespace lambdacast::bench {
namespace {

using R = const LatencyReport&;
using O = const LatencyOptions&;
using Row = Figure<LatencyReport, LatencyOptions>;

// Null unless the fabric is embedded.
template <typename Value>
Json of_fabric(O o, Value value) {
  return o.pair.config_file.empty() ? Json(value) : Json();
}

constexpr Row kRun[] = {
    {"mode", "", "", [](R, O o) -> Json { return name(o.mode); }, kBeside},
    {"payload_bytes", "bytes of the application", "", of<&LatencyOptions::payload_bytes>, kBeside},
    {"rate", "messages a second", "", of<&LatencyReport::rate>, kBeside},
    {"max_rate", "messages a second", "most",
     [](R r, O) { return r.max_rate ? Json(*r.max_rate) : Json(); }},
    {"count", "", "", of<&LatencyOptions::count>, kNever},
    {"lcores", "", "", [](R, O o) { return of_fabric(o, o.pair.lcores); }, kNever},
    {"idle", "", "", [](R, O o) { return of_fabric(o, config::name(o.pair.idle)); }, kNever},
    {"config", "", "",
     [](R, O o) {
       const std::string& file = o.pair.config_file;
       return file.empty() ? Json() : Json(base::shown(file));
     },
     kNever},
    {"error_bound", "", "",
     [](R, O) -> Json { return 1.0 / (1u << base::Histogram::kPrecisionBits); }, kNever},
};

constexpr Figure<LatencySeries, LatencyOptions> kSeries[] = {
    {"sent", "messages", "sent", of<&LatencySeries::sent>},
    {"received", "", "received", of<&LatencySeries::received>, kBeside},
    {"lost", "", "LOST", of<&LatencySeries::lost>, kNotZero},
    {"repeated", "", "twice", of<&LatencySeries::repeated>, kNotZero},
    {"strange", "", "STRANGE", of<&LatencySeries::strange>, kNotZero},
    {"negative", "", "before they were sent", of<&LatencySeries::negative>, kNotZero},
    {"sound", "", "sound|NOT SOUND", of<&LatencySeries::sound>},
};

void read_series(Readings& readings, const std::string& prefix, const LatencySeries& series,
                 O options) {
  Readings rows;
  read(rows, kSeries, series, options);
  for (Reading& row : rows) {
    row.name = prefix + row.name;
    if (!prefix.empty() && row.shown != kBeside) row.sentence = "bare ports: " + row.sentence;
    readings.push_back(std::move(row));
  }
}

}  // namespace

const char* name(LatencyMode mode) {
  return mode == LatencyMode::kOneWay ? "one-way" : "round-trip";
}

void add_options(CLI::App& command, LatencyOptions& o) {
  constexpr uint64_t kMostMessages = 1'000'000'000;
  choice(command, "--mode", o.mode, {LatencyMode::kOneWay, LatencyMode::kRoundTrip},
         "one-way, or round-trip: the receiver answers each message");
  add_payload(command, o.payload_bytes, sizeof(Stamp), 4048,
              fmt::format("bytes of the application in each message; the benchmark's own stamp "
                          "takes {}",
                          sizeof(Stamp)));
  number(command, "--count", o.count, uint64_t{1}, kMostMessages, "messages to measure");
  number_or_word(
      command, "--rate", "10000",
      "messages a second, or half-max: half of what sender and receiver reach, measured first",
      "half-max, or a whole number of messages a second", [&o](const std::string& text) {
        o.half_max = text == "half-max";
        return o.half_max || whole_number(text, o.rate);
      });
  number(command, "--warm-up", o.warm_up, uint64_t{0}, kMostMessages,
         "messages sent before, not recorded");
  command.add_flag("!--no-bare", o.bare, "do not measure the bare ports beside it");
  add_pair_options(command, o.pair,
                   "the percentiles in microseconds; those from when a message was due and those "
                   "of the bare ports in files beside it",
                   "latency by percentile");
}

std::string check(const LatencyOptions& o) { return check(o.pair); }

Planned rack_of(const LatencyOptions& o) {
  Planned config = rack_of(o.pair, o.payload_bytes);
  if (!config) return config;
  const config::Endpoint& sender = config->endpoints[kSenderNode];
  const uint32_t room = sender.path_mtu - wire::kTransportHeaderBytes;
  if (o.payload_bytes <= room) return config;
  return tl::unexpected(
      fmt::format("--payload {} is not allowed; allowed: at most {}, which the path MTU of "
                  "endpoint {} has room for\n",
                  o.payload_bytes, room, sender.name));
}

Readings readings_of(R r, O options) {
  Readings readings = read("latency", kRun, r, options);
  read_times(readings, "", "endpoint to endpoint", r.full.sent_to_delivered);
  read_times(readings, "intended_", "from when it was due", r.full.due_to_delivered);
  if (r.bare) read_times(readings, "bare_", "bare port to port", r.bare->sent_to_delivered);
  read_series(readings, "", r.full, options);
  if (r.bare) read_series(readings, "bare_", *r.bare, options);
  readings.push_back({"lost_packets_by_reason", "packets", "lost", r.lost_packets});
  return readings;
}

app::Plot plot_of(R r, O options) {
  app::Plot plot;
  plot.title = fmt::format("Latency, {}: {} bytes of the application, {:.0f} messages a second",
                           name(options.mode), options.payload_bytes, r.rate);
  plot.x_label = "percentile";
  plot.y_label = "latency, us";
  plot.by_percentile = true;
  plot.curves.push_back(app::percentiles_of("endpoint to endpoint", r.full.sent_to_delivered));
  plot.curves.push_back(app::percentiles_of("from when it was due", r.full.due_to_delivered));
  if (r.bare) plot.curves.push_back(app::percentiles_of("bare ports", r.bare->sent_to_delivered));
  return plot;
}

}  // namespace lambdacast::bench
