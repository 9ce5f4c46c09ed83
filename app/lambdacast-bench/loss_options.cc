// SPDX-License-Identifier: BSD-3-Clause
#include "loss_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

namespace lambdacast::bench {
namespace {

// One group a sender: a delivery's group says who sent it.
std::string all_groups(uint32_t nodes) {
  std::string text;
  for (uint32_t node = 1; node <= nodes; ++node) text += fmt::format("{},", node);
  return text;
}

std::string embedded_rack(const LossOptions& o) {
  std::string toml = fmt::format(
      "[fabric]\nname = \"bench-{}\"\nwavelengths = {}\nslots = {}\n"
      "[endpoint_defaults]\nmbufs = {}\nlink_slots = 1024\ngroups = [{}]\n{}",
      ::getpid(), o.nodes, o.slots, mbufs_of(o.qos, o.nodes - 1), all_groups(o.nodes),
      reliability_of(o.qos, o.nodes - 1));
  for (uint32_t node = 0; node < o.nodes; ++node) {
    toml += fmt::format(
        "[[endpoint]]\nname = \"node{}\"\naddress = \"10.77.0.{}\"\nwavelength = \"C{}\"\n"
        "lcore = {}\n",
        node, node + 1, 21 + node, o.lcores[node * o.lcores.size() / o.nodes]);
    if (o.drop_at.value_or(node) == node) toml += faults_of(o.qos, node);
  }
  return toml;
}

}  // namespace

void add_loss_options(CLI::App& command, LossOptions& o) {
  command
      .add_option("--config", o.config_file,
                  "endpoints and ports from a TOML file instead of --nodes on a fabric")
      ->check(CLI::ExistingFile);
  command.add_option("--nodes", o.nodes, "endpoints on an embedded fabric")
      ->check(CLI::Range(2u, config::kMaxEndpoints))
      ->capture_default_str();
  command.add_flag("--one-sender,!--all-send", o.one_sender, "only node 0 sends; or all do");
  command.add_option("--packets", o.packets, "to send, all senders together; 0: until --seconds")
      ->capture_default_str();
  command.add_option("--seconds", o.seconds, "to send for; 0: until --packets")
      ->check(CLI::Range(0.0, 1e7))
      ->capture_default_str();
  command
      .add_option("--payload", o.payload_bytes,
                  "bytes of the whole RoCE payload; the transport header takes 48 of them")
      ->check(CLI::Range(48u, 4096u))
      ->capture_default_str();
  command
      .add_option("--psn-start", o.psn_start, "first sequence; its low 24 bits are the first PSN")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 62))
      ->capture_default_str();
  add_qos_options(command, o.qos);
  command.add_option("--drop-at", o.drop_at, "the node that loses; all of them without");
  command.add_option("--slow-at", o.slow_at,
                     "a node whose application takes no more than --slow-rate: an overloaded "
                     "receiver, for --pace none");
  command.add_option("--slow-rate", o.slow_pps, "messages a second it takes")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40))
      ->capture_default_str();
  command.add_option("--lcores", o.lcores, "lcores for the nodes, neighbours together")
      ->delimiter(',')
      ->check(CLI::Range(0u, config::kMaxLcores - 1))
      ->capture_default_str();
  command.add_option("--slots", o.slots, "frames each ring of the fabric holds, a power of two")
      ->capture_default_str();
  add_pace_option(command, o.pace, "packets");
  command
      .add_option("--json", o.json, "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
}

std::string check(const LossOptions& o) {
  if (o.packets == 0 && o.seconds == 0) return "--packets 0 needs --seconds";
  for (const auto& [option, node] :
       {std::pair{"--drop-at", o.drop_at}, std::pair{"--slow-at", o.slow_at}}) {
    if (node && o.config_file.empty() && *node >= o.nodes) {
      return fmt::format("{} {} is not allowed; allowed: 0 to {}", option, *node, o.nodes - 1);
    }
  }
  if (!o.config_file.empty() && o.qos.drop > 0) {
    return "--drop is for the embedded fabric; with --config, use its faults";
  }
  return {};
}

tl::expected<config::Config, std::string> rack_of(const LossOptions& options) {
  const config::Loaded loaded = options.config_file.empty()
                                    ? config::parse(embedded_rack(options), "--nodes")
                                    : config::load_file(options.config_file);
  if (!loaded) return tl::unexpected(config::text(loaded.error()));
  return *loaded;
}

}  // namespace lambdacast::bench
