// SPDX-License-Identifier: BSD-3-Clause
#include "throughput.h"

#include <fmt/format.h>

#include <algorithm>

#include "../harness/option_groups.h"
#include "base/plain_text.h"
#include "wire/roce/build.h"

namespace lambdacast::bench {
namespace {

constexpr uint32_t kMostCoalesceUs = 10'000;  // of the configuration's coalesce_us

using T = ThroughputReport;
using Opt = ThroughputOptions;
using R = const T&;
using O = const Opt&;

constexpr Figure<T, Opt> kFigures[] = {
    {"payload_bytes", "bytes of the application", "", of<&Opt::payload_bytes>, kBeside},
    {"pace", "", "pace", [](R, O o) -> Json { return o.pace.text(); }, kBeside},
    {"fill", "", "fill", [](R, O o) -> Json { return name(o.fill); }, kBeside},
    {"coalesce", "", "coalesce", of<&Opt::coalesce_text>, kBeside},
    {"messages", "messages", "delivered", of<&T::messages>},
    {"packets", "packets", "in", of<&T::packets>, kBeside},
    {"elapsed_s", "s", "in", of<&T::elapsed_s>, kBeside},
    {"messages_per_second", "messages/s",
     "at the receiver:", [](R r, O) -> Json { return per_second(r.messages, r.elapsed_s); }},
    {"packets_per_second", "packets/s", "",
     [](R r, O) -> Json { return per_second(r.packets, r.elapsed_s); }, kBeside},
    {"goodput_bps", "bit/s", "goodput", of<&T::goodput_bps>, kBeside},
    {"messages_per_packet", "", "messages in a packet",
     [](R r, O) -> Json { return per_second(r.messages, static_cast<double>(r.packets)); },
     kBeside},
    {"sent_messages_per_second", "messages/s", "at the sender:",
     [](R r, O) -> Json { return per_second(r.sent_messages, r.sent_elapsed_s); }},
    {"sent_packets_per_second", "packets/s", "",
     [](R r, O) -> Json { return per_second(r.sent_packets, r.sent_elapsed_s); }, kBeside},
    {"lost_messages", "messages", "LOST", of<&T::lost_messages>, kNotZero},
    {"total_sent_messages", "sent", "of", of<&T::total_sent_messages>, kBeside},
    {"total_messages", "", "", of<&T::total_messages>, kNever},
    {"lost_packets_by_reason", "packets", "lost", of<&T::lost_packets>, kNotZero},
    {"wrong_content", "messages", "WRONG CONTENT in", of<&T::wrong_content>, kNotZero},
    {"window_timeouts", "", "window timeouts", of<&T::window_timeouts>, kNotZero},
    {"sound", "", "every message right|NOT SOUND", of<&T::sound>},
    {"lcores", "", "",
     [](R, O o) { return o.pair.config_file.empty() ? Json(o.pair.lcores) : Json(); }, kNever},
    {"icrc", "", "",
     [](R, O o) { return o.pair.config_file.empty() ? Json(config::name(o.pair.icrc)) : Json(); },
     kNever},
    {"config", "", "",
     [](R, O o) {
       const std::string& file = o.pair.config_file;
       return file.empty() ? Json() : Json(base::shown(file));
     },
     kNever},
};

bool take_coalesce(const std::string& text, Opt& options) {
  options.coalesce = text != "off";
  options.coalesce_us.reset();
  if (text == "off" || text == "on") return true;
  uint64_t us = 0;
  if (!whole_number(text, us) || us > kMostCoalesceUs) return false;
  options.coalesce_us = static_cast<uint32_t>(us);
  return true;
}

}  // namespace

const char* name(Fill fill) { return fill == Fill::kEach ? "each" : "never"; }

std::string ThroughputOptions::coalesce_text() const {
  if (!coalesce) return "off";
  return coalesce_us ? std::to_string(*coalesce_us) : "on";
}

void add_options(CLI::App& command, Opt& o) {
  add_payload(command, o.payload_bytes, 1, wire::kMaxMessageBytes);
  add_seconds(command, o.seconds, 0, "to measure; 0: until --count");
  number(command, "--count", o.count, uint64_t{0}, uint64_t{1} << 60,
         "messages to measure; 0: until --seconds");
  add_warm_up(command, o.warm_up_s, "seconds before, not measured");
  choice(command, "--fill", o.fill, {Fill::kEach, Fill::kNever},
         "each: every message is written anew and checked; never: what lies in the packet goes "
         "out");
  number_or_word(
      command, "--coalesce", "off",
      "off: a packet each; on: messages share packets; or how long one may wait for that in us",
      fmt::format("off, on, or 1 to {} us", kMostCoalesceUs),
      [&o](const std::string& text) { return take_coalesce(text, o); });
  add_pace(command, o.pace, "messages");
  add_pair_options(command, o.pair, "messages a second, in intervals of 10 ms",
                   "messages a second over time");
}

std::string check(O o) {
  if (o.seconds == 0 && o.count == 0) return "--seconds 0 needs --count";
  return check(o.pair);
}

Planned rack_of(O o) {
  constexpr uint32_t kFull = wire::kMaxPayloadBytes - wire::kTransportHeaderBytes;
  Planned config = rack_of(o.pair, o.coalesce ? std::max(o.payload_bytes, kFull) : o.payload_bytes);
  if (!config) return config;
  config::Endpoint& sender = config->endpoints[kSenderNode];
  const config::Endpoint& receiver = config->endpoints[kReceiverNode];
  if (o.coalesce_us) sender.coalesce_ns = *o.coalesce_us * uint64_t{1'000};
  if (o.coalesce && sender.coalesce_ns == 0) {
    return tl::unexpected(fmt::format(
        "--coalesce on is not allowed: endpoint {} has coalesce_us = 0; allowed: 1 to {} us\n",
        sender.name, kMostCoalesceUs));
  }
  for (const uint32_t node : {kSenderNode, kReceiverNode}) {
    const config::Endpoint& each = config->endpoints[node];
    const uint32_t most = each.reassembly.max_message_bytes;
    if (o.payload_bytes <= most) continue;
    return tl::unexpected(
        fmt::format("--payload {} is not allowed; allowed: 1 to {}, the max_message_bytes of {}\n",
                    o.payload_bytes, most, each.name));
  }
  // Credit is given where frames come in and messages go out.
  const config::StageLcores& stages = receiver.stages;
  const bool together = stages.receive == stages.ordering && stages.rate_control == stages.ordering;
  if (o.pace.kind == Pace::Kind::kWindow && !together) {
    return tl::unexpected(
        fmt::format("--pace window needs all stages of endpoint {} on one lcore; allowed with this "
                    "configuration: none, or a rate\n",
                    receiver.name));
  }
  return config;
}

Readings readings_of(R report, O options) { return read("throughput", kFigures, report, options); }

app::Plot plot_of(R r, O options) {
  app::Plot plot;
  plot.title = fmt::format("Throughput: {} bytes of the application, goodput {:.3f} Gb/s",
                           options.payload_bytes, r.goodput_bps() / 1e9);
  plot.x_label = "s";
  plot.y_label = "thousand messages a second";
  app::Curve curve{"delivered", {}};
  for (const ThroughputInterval& interval : r.intervals)
    curve.points.emplace_back(interval.end_s, interval.messages_per_second / 1000);
  plot.curves.push_back(std::move(curve));
  return plot;
}

base::Histogram rates_of(R report) {
  base::Histogram rates;
  for (const ThroughputInterval& interval : report.intervals)
    rates.record(static_cast<uint64_t>(interval.messages_per_second));
  return rates;
}

}  // namespace lambdacast::bench
