// SPDX-License-Identifier: BSD-3-Clause
#include "latency_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>

#include "../choice.h"
#include "latency_recorder.h"

namespace lambdacast::bench {
namespace {

void set_rate(const std::string& text, LatencyOptions& options) {
  options.half_max = text == "half-max";
  if (options.half_max) return;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, options.rate);
  if (parsed.ec != std::errc() || parsed.ptr != end || options.rate == 0) {
    throw CLI::ValidationError("--rate", text +
                                             " is not allowed; allowed: half-max, or a whole "
                                             "number of messages a second");
  }
}

}  // namespace

void add_latency_options(CLI::App& command, LatencyOptions& o) {
  const std::map<std::string, LatencyMode> modes = {{"one-way", LatencyMode::kOneWay},
                                                    {"round-trip", LatencyMode::kRoundTrip}};
  app::add_choice(command, "--mode", o.mode, modes,
                  "one-way, or round-trip: the receiver answers each message");
  command
      .add_option("--payload", o.payload_bytes,
                  fmt::format("bytes of the application in each message; the benchmark's own stamp "
                              "takes {}",
                              sizeof(Stamp)))
      ->check(CLI::Range(static_cast<uint32_t>(sizeof(Stamp)), 4048u))
      ->capture_default_str();
  command.add_option("--count", o.count, "messages to measure")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}))
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--rate", [&o](const std::string& text) { set_rate(text, o); },
          "messages a second, or half-max: half of what sender and receiver reach, measured first")
      ->default_str("10000");
  command.add_option("--warm-up", o.warm_up, "messages sent before, not recorded")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1'000'000'000}))
      ->capture_default_str();
  command.add_flag("!--no-bare", o.bare, "do not measure the bare ports beside it");
  add_pair_options(command, o.pair,
                   "the percentiles in microseconds; those from when a message was due and those "
                   "of the bare ports in files beside it",
                   "latency by percentile");
}

std::string check(const LatencyOptions& o) { return check(o.pair); }

tl::expected<config::Config, std::string> rack_of(const LatencyOptions& o) {
  auto config = rack_of(o.pair, o.payload_bytes);
  if (!config) return config;
  const config::Endpoint& sender = config->endpoints[kSenderNode];
  const uint32_t room = sender.path_mtu - wire::kTransportHeaderBytes;
  if (o.payload_bytes > room) {
    return tl::unexpected(
        fmt::format("--payload {} is not allowed; allowed: at most {}, which the path MTU of "
                    "endpoint {} has room for\n",
                    o.payload_bytes, room, sender.name));
  }
  return config;
}

}  // namespace lambdacast::bench
