#include "latency_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>

#include "latency_recorder.h"

namespace lambdacast::app {
namespace {

constexpr uint32_t kMbufs = 16384;

std::string embedded_rack(const LatencyOptions& o) {
  std::string toml = fmt::format(
      "[fabric]\nname = \"bench-{}\"\nwavelengths = 2\nslots = {}\n"
      "[endpoint_defaults]\nmbufs = {}\nlink_slots = 1024\n",
      ::getpid(), o.slots, kMbufs);
  for (uint32_t node = 0; node < 2; ++node) {
    toml += fmt::format(
        "[[endpoint]]\nname = \"{}\"\naddress = \"10.77.0.{}\"\nwavelength = \"C{}\"\nlcore = {}\n",
        node == 0 ? "sender" : "receiver", node + 1, 21 + node, o.lcores[node]);
  }
  for (const uint32_t lcore : o.lcores) {
    toml += fmt::format("[[lcore]]\nid = {}\nidle = \"{}\"\n", lcore, config::name(o.idle));
  }
  return toml;
}

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
  command
      .add_option("--config", o.config_file,
                  "the first two endpoints of a TOML file send and receive, instead of two on a "
                  "fabric of their own")
      ->check(CLI::ExistingFile);
  const std::map<std::string, LatencyMode> modes = {{"one-way", LatencyMode::kOneWay},
                                                    {"round-trip", LatencyMode::kRoundTrip}};
  command.add_option("--mode", o.mode, "one-way, or round-trip: the receiver answers each message")
      ->transform(CLI::CheckedTransformer(modes))
      ->default_str("one-way");
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
  command.add_option("--lcores", o.lcores, "the sender's lcore and the receiver's")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::Range(0u, config::kMaxLcores - 1))
      ->capture_default_str();
  const std::map<std::string, config::IdlePolicy> policies = {
      {"spin", config::IdlePolicy::kSpin},
      {"pause", config::IdlePolicy::kPause},
      {"sleep", config::IdlePolicy::kSleep}};
  command.add_option("--idle", o.idle, "what the lcores do without work: spin, pause or sleep")
      ->transform(CLI::CheckedTransformer(policies))
      ->default_str("spin");
  command.add_option("--slots", o.slots, "frames each ring of the fabric holds, a power of two")
      ->capture_default_str();
  command
      .add_option("--histogram", o.histogram,
                  "write the percentiles to a file in HdrHistogram's format (.hgrm), those of "
                  "the bare ports beside it")
      ->type_name("FILE");
  command.add_option("--plot", o.plot, "draw latency by percentile, as SVG")->type_name("FILE");
  command
      .add_option("--json", o.json, "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
}

std::string check(const LatencyOptions& o) {
  if (o.config_file.empty() && o.lcores[0] == o.lcores[1]) {
    return fmt::format("--lcores {0},{0} is not allowed; allowed: two different lcores",
                       o.lcores[0]);
  }
  return {};
}

tl::expected<config::Config, std::string> rack_of(const LatencyOptions& options) {
  const config::Loaded loaded = options.config_file.empty()
                                    ? config::parse(embedded_rack(options), "--lcores")
                                    : config::load_file(options.config_file);
  if (!loaded) return tl::unexpected(config::text(loaded.error()));
  config::Config config = *loaded;
  if (config.endpoints.size() < 2) {
    return tl::unexpected(
        fmt::format("{}: one endpoint is not enough; allowed: two or more\n", options.config_file));
  }
  const uint32_t room = config.endpoints[0].path_mtu - config::kTransportHeaderBytes;
  if (options.payload_bytes > room) {
    return tl::unexpected(fmt::format("--payload {} is not allowed; allowed: {} to {}\n",
                                      options.payload_bytes, sizeof(Stamp), room));
  }
  config.endpoints[0].groups = {kAnswerGroup};
  config.endpoints[1].groups = {kLatencyGroup};
  return config;
}

}  // namespace lambdacast::app
