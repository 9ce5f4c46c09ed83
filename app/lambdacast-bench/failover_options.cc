// SPDX-License-Identifier: BSD-3-Clause
#include "failover_options.h"

#include <CLI/CLI.hpp>
#include <map>

#include "../choice.h"

namespace lambdacast::bench {
namespace {

const std::map<std::string, Victims>& names() {
  static const std::map<std::string, Victims> all = {
      {"sequencer", Victims::kSequencer}, {"member", Victims::kMember}, {"two", Victims::kTwo}};
  return all;
}

}  // namespace

const char* name_of(Victims victims) {
  for (const auto& [name, value] : names()) {
    if (value == victims) return name.c_str();
  }
  return "";
}

void add_failover_options(CLI::App& command, FailoverOptions& o) {
  command.add_option("--nodes", o.nodes, "endpoints on an embedded fabric, all members of a view")
      ->check(CLI::Range(3u, config::kMaxEndpoints))
      ->capture_default_str();
  app::add_choice(command, "--stop", o.victims, names(),
                  "whose stages are polled no more: sequencer, member (another one), two (the "
                  "sequencer and another one at once)");
  command.add_option("--suspect-us", o.suspect_after_us, "silence after which a node is excluded")
      ->check(CLI::Range(100u, 600'000'000u))
      ->capture_default_str();
  command.add_option("--heartbeat-us", o.heartbeat_us, "between two signs of life of an idle node")
      ->check(CLI::Range(10u, 1'000'000u))
      ->capture_default_str();
  command.add_option("--runs", o.runs, "each with nodes of its own")
      ->check(CLI::Range(1u, 100'000u))
      ->capture_default_str();
  command.add_option("--rate", o.rate, "totally resilient messages a second of each node")
      ->check(CLI::Range(uint64_t{10}, uint64_t{1'000'000}))
      ->capture_default_str();
  command.add_option("--payload", o.payload_bytes, "bytes of the application in each message")
      ->check(CLI::Range(24u, 4048u))
      ->capture_default_str();
  command.add_option("--lcores", o.lcores, "lcores for the nodes, neighbours together")
      ->delimiter(',')
      ->check(CLI::Range(0u, config::kMaxLcores - 1))
      ->capture_default_str();
  command
      .add_option("--json", o.json, "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
}

std::string check(const FailoverOptions& o) {
  if (o.victims == Victims::kTwo && o.nodes < 4)
    return "--stop two leaves no quorum of 3 nodes; allowed: --nodes 4 or more";
  if (o.suspect_after_us < 4 * uint64_t{o.heartbeat_us})
    return "--suspect-us " + std::to_string(o.suspect_after_us) +
           " is too short for --heartbeat-us " + std::to_string(o.heartbeat_us) +
           "; allowed: at least four times as long";
  return {};
}

OrderOptions order_options(const FailoverOptions& o, uint32_t tie_breaker) {
  OrderOptions order;
  order.nodes = o.nodes;
  order.level = wire::Qos::kTotallyResilient;
  order.payload_bytes = o.payload_bytes;
  order.rate = o.rate;
  order.suspect_after_us = o.suspect_after_us;
  order.heartbeat_us = o.heartbeat_us;
  order.tie_breaker = tie_breaker;
  order.lcores = o.lcores;
  return order;
}

}  // namespace lambdacast::bench
