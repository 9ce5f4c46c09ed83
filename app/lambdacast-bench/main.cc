// SPDX-License-Identifier: BSD-3-Clause
// lambdacast-bench: one subcommand a measurement.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "../command_line.h"
#include "../version_flag.h"
#include "failover.h"
#include "groups.h"
#include "latency.h"
#include "loss.h"
#include "order.h"
#include "repair.h"
#include "throughput.h"

namespace lambdacast::bench {
namespace {

// `check` has the last word about the options once they are parsed.
template <typename Options>
CLI::App* add_benchmark(CLI::App& cli, const char* name, const char* what, Options& options,
                        void (*add_options)(CLI::App&, Options&)) {
  CLI::App* command = cli.add_subcommand(name, what);
  add_options(*command, options);
  command->final_callback([&options] {
    if (const std::string wrong = check(options); !wrong.empty()) {
      throw CLI::ValidationError(wrong);
    }
  });
  return command;
}

}  // namespace
}  // namespace lambdacast::bench

int main(int argc, char** argv) {
  namespace app = lambdacast::app;
  namespace bench = lambdacast::bench;
  const app::CommandLine line = app::split(argc, argv);
  CLI::App cli("Measures Lambdacast.\nlambdacast-bench [EAL OPTIONS --] BENCHMARK OPTIONS",
               "lambdacast-bench");
  app::add_version_flag(cli);
  cli.require_subcommand(1);
  bench::LossOptions loss;
  bench::LatencyOptions latency;
  bench::ThroughputOptions throughput;
  bench::RepairOptions repair;
  bench::OrderOptions order;
  bench::FailoverOptions failover;
  bench::GroupsOptions groups;
  bench::add_benchmark(cli, "loss",
                       "account for every packet of a rack: sent x receivers = delivered + lost by "
                       "reason",
                       loss, bench::add_loss_options);
  const auto* latency_command = bench::add_benchmark(
      cli, "latency", "how long a message takes, and how long of it the bare ports", latency,
      bench::add_latency_options);
  const auto* throughput_command =
      bench::add_benchmark(cli, "throughput", "how much gets from one endpoint to another",
                           throughput, bench::add_throughput_options);
  const auto* repair_command = bench::add_benchmark(
      cli, "repair", "how long a lost packet takes to be repaired, in round trips", repair,
      bench::add_repair_options);
  const auto* order_command = bench::add_benchmark(
      cli, "order", "how much a group delivers in one order, and how long that takes", order,
      bench::add_order_options);
  const auto* failover_command = bench::add_benchmark(
      cli, "failover", "how long the others stand still when a node of a group stops", failover,
      bench::add_failover_options);
  const auto* groups_command = bench::add_benchmark(
      cli, "groups", "what thousands of groups cost: to join, in memory, and to publish to", groups,
      bench::add_groups_options);
  try {
    cli.parse(std::vector<std::string>(line.own.rbegin(), line.own.rend()));
  } catch (const CLI::ParseError& error) {
    return app::refused(cli, error);
  }
  if (groups_command->parsed()) return bench::run_groups(line, groups);
  if (failover_command->parsed()) return bench::run_failover(line, failover);
  if (order_command->parsed()) return bench::run_order(line, order);
  if (repair_command->parsed()) return bench::run_repair(line, repair);
  if (latency_command->parsed()) return bench::run_latency(line, latency);
  if (throughput_command->parsed()) return bench::run_throughput(line, throughput);
  return bench::run_loss(line, loss);
}
