// SPDX-License-Identifier: BSD-3-Clause
#include "groups_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "../choice.h"

namespace lambdacast::bench {

void add_groups_options(CLI::App& command, GroupsOptions& o) {
  static const std::map<std::string, wire::Qos> levels = {
      {name_of(wire::Qos::kSourceOrdered), wire::Qos::kSourceOrdered},
      {name_of(wire::Qos::kTotallyOrdered), wire::Qos::kTotallyOrdered}};
  command.add_option("--nodes", o.nodes, "endpoints on an embedded fabric, all members of a view")
      ->check(CLI::Range(2u, config::kMaxEndpoints))
      ->capture_default_str();
  command
      .add_option("--groups", o.groups,
                  "groups with names that every node joins; several, ascending: one step each")
      ->delimiter(',')
      ->check(CLI::Range(1u, kMostBenchGroups))
      ->capture_default_str();
  app::add_choice(command, "--level", o.level, levels, "of service: source, total");
  command.add_option("--payload", o.payload_bytes, "bytes of the application in each message")
      ->check(CLI::Range(16u, 4048u))
      ->capture_default_str();
  command.add_option("--seconds", o.seconds, "of each measurement")
      ->check(CLI::Range(0.01, 1e6))
      ->capture_default_str();
  command.add_option("--warm-up", o.warm_up, "seconds before each, not measured")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command
      .add_option("--rounds", o.rounds,
                  "of each step; each measures one group and all groups in turn")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  command.add_option("--rate", o.rate, "messages a second of the sender; 0: as fast as taken")
      ->capture_default_str();
  command
      .add_option("--domains", o.order_domains,
                  "of total order, a power of two: with 1 all groups have one sequencer")
      ->check(CLI::Range(1u, 65536u))
      ->capture_default_str();
  command.add_option("--lcores", o.lcores, "lcores for the nodes, neighbours together")
      ->delimiter(',')
      ->check(CLI::Range(0u, config::kMaxLcores - 1))
      ->capture_default_str();
  command
      .add_option("--json", o.json, "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
}

std::string check(const GroupsOptions& o) {
  const auto falls = std::adjacent_find(o.groups.begin(), o.groups.end(), std::greater_equal<>());
  if (falls != o.groups.end()) return "--groups has to ascend";
  if (!std::has_single_bit(o.order_domains)) return "--domains has to be a power of two";
  return {};
}

OrderOptions order_options(const GroupsOptions& o) {
  OrderOptions order;
  order.nodes = o.nodes;
  order.level = o.level;
  order.payload_bytes = o.payload_bytes;
  order.order_domains = o.order_domains;
  order.names = std::max(order.names, std::bit_ceil(o.groups.back()));
  order.lcores = o.lcores;
  return order;
}

}  // namespace lambdacast::bench
