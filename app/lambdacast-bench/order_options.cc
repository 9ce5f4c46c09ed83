// SPDX-License-Identifier: BSD-3-Clause
#include "order_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "../choice.h"

namespace lambdacast::bench {
namespace {

using wire::Qos;

const std::map<std::string, Qos>& levels() {
  static const std::map<std::string, Qos> names = {{"unreliable", Qos::kUnreliable},
                                                   {"reliable", Qos::kReliable},
                                                   {"source", Qos::kSourceOrdered},
                                                   {"total", Qos::kTotallyOrdered},
                                                   {"k", Qos::kKResilient},
                                                   {"majority", Qos::kMajority},
                                                   {"resilient", Qos::kTotallyResilient}};
  return names;
}

constexpr uint32_t kMostHeld = 6144;

std::string all_groups(uint32_t groups) {
  std::string text;
  for (uint32_t i = 0; i < groups; ++i) text += fmt::format("{},", kOrderGroup + i);
  return text;
}

}  // namespace

const char* name_of(Qos level) {
  for (const auto& [name, value] : levels()) {
    if (value == level) return name.c_str();
  }
  return "";
}

void add_order_options(CLI::App& command, OrderOptions& o) {
  command.add_option("--nodes", o.nodes, "endpoints on an embedded fabric, all members of a view")
      ->check(CLI::Range(2u, config::kMaxEndpoints))
      ->capture_default_str();
  app::add_choice(command, "--level", o.level, levels(),
                  "of service: unreliable, reliable, source, total, k, majority, resilient (all)");
  command.add_option("--payload", o.payload_bytes, "bytes of the application in each message")
      ->check(CLI::Range(24u, 4048u))
      ->capture_default_str();
  command.add_option("--seconds", o.seconds, "to measure")
      ->check(CLI::Range(0.01, 1e6))
      ->capture_default_str();
  command.add_option("--warm-up", o.warm_up, "seconds before, not measured")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command.add_flag("--one-sender,!--all-send", o.one_sender,
                   "only one sends, not the sequencer; or all do");
  command.add_flag("--coalesce", o.coalesce, "messages may share packets");
  command.add_option("--groups", o.groups, "published to in turn; every node has joined all")
      ->check(CLI::Range(1u, 65536u))
      ->capture_default_str();
  command.add_option("--rate", o.rate, "messages a second of each sender; 0: as fast as taken")
      ->capture_default_str();
  command
      .add_option("--rx-rate", o.rx_rate_bps,
                  "bits a second that each node can receive: the bottleneck. What unreliable "
                  "messages make of it is measured first, and the senders share that")
      ->capture_default_str();
  command.add_option("--share", o.share, "with --rx-rate: how much of that they use")
      ->check(CLI::Range(0.01, 2.0))
      ->capture_default_str();
  command.add_option("--window", o.window, "packets retained, and received ahead of each sender")
      ->check(CLI::Range(64u, 32768u))
      ->capture_default_str();
  command.add_option("--in-flight", o.in_flight, "packets ahead of the slowest receiver")
      ->check(CLI::Range(16u, 1u << 20))
      ->capture_default_str();
  command.add_option("--ack-us", o.ack_us, "least time between two acknowledgements of a node")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  command.add_option("--k", o.k, "with --level k: more than so many hold a message")
      ->check(CLI::Range(1u, 63u))
      ->capture_default_str();
  command.add_option("--suspect-us", o.suspect_after_us, "silence after which a node is excluded")
      ->check(CLI::Range(4'000u, 600'000'000u))
      ->capture_default_str();
  command.add_option("--lcores", o.lcores, "lcores for the nodes, neighbours together")
      ->delimiter(',')
      ->check(CLI::Range(0u, config::kMaxLcores - 1))
      ->capture_default_str();
  command.add_option("--slots", o.slots, "frames each ring of the fabric holds, a power of two")
      ->capture_default_str();
  command
      .add_option("--json", o.json, "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
}

std::string check(const OrderOptions& o) {
  if ((o.window & (o.window - 1)) != 0) return "--window has to be a power of two";
  if (o.rx_rate_bps != 0 && o.rate != 0) return "--rx-rate finds the senders' rate: no --rate";
  if (o.rx_rate_bps != 0 && o.one_sender) return "--rx-rate is for all senders";
  return {};
}

config::Loaded rack_of(const OrderOptions& o) {
  std::string toml = fmt::format(
      "[fabric]\nname = \"bench-{}\"\nwavelengths = {}\nslots = {}\n"
      "[endpoint_defaults]\nmbufs = 16384\nlink_slots = 1024\ngroups = [{}]\n"
      "reliability = {{ transmit_window = {}, receive_window = {}, hold = {}, in_flight = {} }}\n"
      "membership = {{ enabled = true, initial_nodes = {}, ack_us = {}, k = {}, "
      "suspect_after_us = {}, heartbeat_us = {}, tie_breaker = \"10.77.0.{}\", "
      "order_domains = {}, names = {} }}\n",
      ::getpid(), o.nodes, o.slots, all_groups(o.groups), o.window, o.window,
      std::min(o.window * (o.nodes - 1), kMostHeld), o.in_flight, o.nodes, o.ack_us, o.k,
      o.suspect_after_us, o.heartbeat_us, o.tie_breaker + 1, o.order_domains, o.names);
  for (uint32_t node = 0; node < o.nodes; ++node) {
    toml += fmt::format(
        "[[endpoint]]\nname = \"node{}\"\naddress = \"10.77.0.{}\"\nwavelength = \"C{}\"\n"
        "lcore = {}\n",
        node, node + 1, 21 + node, o.lcores[node * o.lcores.size() / o.nodes]);
    if (o.rx_rate_bps != 0) toml += fmt::format("faults = {{ rx_rate = {} }}\n", o.rx_rate_bps);
  }
  return config::parse(toml, "--nodes");
}

}  // namespace lambdacast::bench
