// SPDX-License-Identifier: BSD-3-Clause
#include "throughput_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>

#include "../choice.h"
#include "wire/roce/build.h"

namespace lambdacast::bench {
namespace {

constexpr uint32_t kMostCoalesceUs = 10'000;  // of the configuration's coalesce_us

void set_coalesce(const std::string& text, ThroughputOptions& options) {
  options.coalesce = text != "off";
  options.coalesce_us.reset();
  if (text == "off" || text == "on") return;
  uint32_t us = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, us);
  if (parsed.ec != std::errc() || parsed.ptr != end || us == 0 || us > kMostCoalesceUs) {
    throw CLI::ValidationError(
        "--coalesce",
        fmt::format("{} is not allowed; allowed: off, on, or 1 to {} us", text, kMostCoalesceUs));
  }
  options.coalesce_us = us;
}

}  // namespace

std::string ThroughputOptions::coalesce_text() const {
  if (!coalesce) return "off";
  return coalesce_us ? std::to_string(*coalesce_us) : "on";
}

void add_throughput_options(CLI::App& command, ThroughputOptions& o) {
  command.add_option("--payload", o.payload_bytes, "bytes of the application in each message")
      ->check(CLI::Range(1u, wire::kMaxMessageBytes))
      ->capture_default_str();
  command.add_option("--seconds", o.seconds, "to measure; 0: until --count")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command.add_option("--count", o.count, "messages to measure; 0: until --seconds")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 60))
      ->capture_default_str();
  command.add_option("--warm-up", o.warm_up_s, "seconds before, not measured")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  const std::map<std::string, Fill> fills = {{"each", Fill::kEach}, {"never", Fill::kNever}};
  app::add_choice(command, "--fill", o.fill, fills,
                  "each: every message is written anew and checked; never: what lies in the packet "
                  "goes out");
  command
      .add_option_function<std::string>(
          "--coalesce", [&o](const std::string& text) { set_coalesce(text, o); },
          "off: a packet each; on: messages share packets; or how long one may wait for that in us")
      ->default_str("off");
  add_pace_option(command, o.pace, "messages");
  add_pair_options(command, o.pair, "messages a second, in intervals of 10 ms",
                   "messages a second over time");
}

std::string check(const ThroughputOptions& o) {
  if (o.seconds == 0 && o.count == 0) return "--seconds 0 needs --count";
  return check(o.pair);
}

tl::expected<config::Config, std::string> rack_of(const ThroughputOptions& o) {
  constexpr uint32_t kFull = wire::kMaxPayloadBytes - wire::kTransportHeaderBytes;
  auto config = rack_of(o.pair, o.coalesce ? std::max(o.payload_bytes, kFull) : o.payload_bytes);
  if (!config) return config;
  config::Endpoint& sender = config->endpoints[kSenderNode];
  if (o.coalesce_us) sender.coalesce_ns = *o.coalesce_us * uint64_t{1'000};
  if (o.coalesce && sender.coalesce_ns == 0) {
    return tl::unexpected(fmt::format(
        "--coalesce on is not allowed: endpoint {} has coalesce_us = 0; allowed: 1 to {} us\n",
        sender.name, kMostCoalesceUs));
  }
  for (const uint32_t node : {kSenderNode, kReceiverNode}) {
    const uint32_t most = config->endpoints[node].reassembly.max_message_bytes;
    if (o.payload_bytes <= most) continue;
    return tl::unexpected(
        fmt::format("--payload {} is not allowed; allowed: 1 to {}, the max_message_bytes of {}\n",
                    o.payload_bytes, most, config->endpoints[node].name));
  }
  return config;
}

}  // namespace lambdacast::bench
