// SPDX-License-Identifier: BSD-3-Clause
#include "pair_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <map>

#include "../choice.h"
#include "base/plain_text.h"
#include "wire/roce/build.h"

namespace lambdacast::bench {
namespace {

// A link takes in no more than a share of the ring that its packets go to.
constexpr uint32_t kLinkSlots = 512;

std::string embedded_rack(const PairOptions& o, uint32_t slots) {
  std::string toml = fmt::format(
      "[fabric]\nname = \"bench-{}\"\nwavelengths = 2\nslots = {}\n"
      "[endpoint_defaults]\nmbufs = {}\nlink_slots = {}\nicrc = \"{}\"\n{}",
      ::getpid(), slots, mbufs_of(o.qos, 1), std::clamp(slots / 8, 64u, kLinkSlots),
      config::name(o.icrc), reliability_of(o.qos, 1));
  for (const uint32_t node : {kSenderNode, kReceiverNode}) {
    toml += fmt::format(
        "[[endpoint]]\nname = \"{}\"\naddress = \"10.77.0.{}\"\nwavelength = \"C{}\"\nlcore = {}\n",
        node == kSenderNode ? "sender" : "receiver", node + 1, 21 + node, o.lcores[node]);
    if (node == kReceiverNode) toml += faults_of(o.qos, node);
  }
  for (const uint32_t lcore : o.lcores) {
    toml += fmt::format("[[lcore]]\nid = {}\nidle = \"{}\"\n", lcore, config::name(o.idle));
  }
  return toml;
}

void add_fabric_options(CLI::App& command, PairOptions& o) {
  command.add_option("--lcores", o.lcores, "the sender's lcore and the receiver's")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::Range(0u, config::kMaxLcores - 1))
      ->capture_default_str();
  const std::map<std::string, config::IdlePolicy> policies = {
      {"spin", config::IdlePolicy::kSpin},
      {"pause", config::IdlePolicy::kPause},
      {"sleep", config::IdlePolicy::kSleep}};
  app::add_choice(command, "--idle", o.idle, policies,
                  "what the lcores do without work: spin, pause or sleep");
  const std::map<std::string, wire::IcrcMode> icrcs = {{"full", wire::IcrcMode::kFull},
                                                       {"generate", wire::IcrcMode::kGenerate},
                                                       {"off", wire::IcrcMode::kOff}};
  app::add_choice(command, "--icrc", o.icrc, icrcs,
                  "full: made and verified; generate: made; off: neither");
  command.add_option("--slots", o.slots, "frames each ring of the fabric holds, a power of two")
      ->default_str("what 4 MiB hold, 4096 at most");
}

}  // namespace

void add_pair_options(CLI::App& command, PairOptions& o, const std::string& histogram_of,
                      const std::string& plot_of) {
  command
      .add_option("--config", o.config_file,
                  "the first two endpoints of a TOML file send and receive, instead of two on a "
                  "fabric of their own")
      ->check(CLI::ExistingFile);
  add_fabric_options(command, o);
  add_qos_options(command, o.qos);
  command
      .add_option("--histogram", o.histogram,
                  "write a file in HdrHistogram's format (.hgrm): " + histogram_of)
      ->type_name("FILE");
  command.add_option("--plot", o.plot, "draw an SVG: " + plot_of)->type_name("FILE");
  command
      .add_option("--json", o.json, "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
}

std::string check(const PairOptions& o) {
  if (o.config_file.empty() && o.lcores[0] == o.lcores[1]) {
    return fmt::format("--lcores {0},{0} is not allowed; allowed: two different lcores",
                       o.lcores[0]);
  }
  if (!o.config_file.empty() && o.qos.drop > 0) {
    return "--drop is for the embedded fabric; with --config, use its faults";
  }
  return {};
}

uint32_t slots_for(uint32_t payload_bytes) {
  constexpr uint32_t kMost = 4096;
  constexpr uint32_t kRingBytes = 4 << 20;
  constexpr uint32_t kHeaderBytes = 128;  // of the frame and its slot, about
  if (payload_bytes + wire::kTransportHeaderBytes > wire::kMaxPayloadBytes) return kMost;
  return std::min(kMost, std::bit_floor(kRingBytes / (payload_bytes + kHeaderBytes)));
}

tl::expected<config::Config, std::string> rack_of(const PairOptions& options,
                                                  uint32_t payload_bytes) {
  const uint32_t slots = options.slots.value_or(slots_for(payload_bytes));
  const config::Loaded loaded =
      options.config_file.empty()
          ? config::parse(embedded_rack(options, slots), "the benchmark's rack")
          : config::load_file(options.config_file);
  if (!loaded) return tl::unexpected(config::text(loaded.error()));
  config::Config config = *loaded;
  if (config.endpoints.size() < 2) {
    return tl::unexpected(fmt::format("{}: one endpoint is not enough; allowed: two or more\n",
                                      base::shown(options.config_file)));
  }
  config.endpoints[kSenderNode].groups = {kAnswerGroup};
  config.endpoints[kReceiverNode].groups = {kMessageGroup};
  return config;
}

}  // namespace lambdacast::bench
