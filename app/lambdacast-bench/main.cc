// SPDX-License-Identifier: BSD-3-Clause
// lambdacast-bench: one subcommand a measurement.
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../command_line.h"
#include "../version_flag.h"
#include "cases/calls.h"
#include "cases/failover.h"
#include "cases/fairness.h"
#include "cases/groups.h"
#include "cases/incast.h"
#include "cases/latency.h"
#include "cases/loss.h"
#include "cases/order.h"
#include "cases/pacing.h"
#include "cases/throughput.h"

namespace lambdacast::bench {
namespace {

struct Case {
  CLI::App* command;
  std::function<int(const app::CommandLine&)> run;
};

// `check` has the last word about the options once they are parsed.
template <typename Options>
Case add_case(CLI::App& cli, const char* name, const char* what) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = cli.add_subcommand(name, what);
  add_options(*command, *options);
  command->final_callback([options] {
    if (const std::string wrong = check(*options); !wrong.empty())
      throw CLI::ValidationError(wrong);
  });
  return {command, [options](const app::CommandLine& line) { return run(line, *options); }};
}

std::vector<Case> add_cases(CLI::App& cli) {
  return {
      add_case<LossOptions>(cli, "loss",
                            "account for every packet of a rack: sent x receivers = delivered + "
                            "lost by reason"),
      add_case<LatencyOptions>(cli, "latency",
                               "how long a message takes, and how long of it the bare ports"),
      add_case<ThroughputOptions>(cli, "throughput", "how much gets from one endpoint to another"),
      add_case<RepairOptions>(cli, "repair",
                              "how long a lost packet takes to be repaired, in round trips"),
      add_case<OrderOptions>(cli, "order",
                             "how much a group delivers in one order, and how long that takes"),
      add_case<FailoverOptions>(cli, "failover",
                                "how long the others stand still when a node of a group stops"),
      add_case<CallsOptions>(cli, "calls",
                             "how long locks and calls take, beside a message of the same level"),
      add_case<FairnessOptions>(cli, "fairness",
                                "what members of a view send while what they need changes, beside "
                                "their fair shares"),
      add_case<IncastOptions>(cli, "incast",
                              "what a slow receiver gets of senders that together send more than "
                              "it can take, under each policy"),
      add_case<PacingOptions>(cli, "pacing",
                              "how evenly an endpoint with a limit sends, in windows of a "
                              "millisecond"),
      add_case<GroupsOptions>(cli, "groups",
                              "what thousands of groups cost: to join, in memory, and to publish "
                              "to"),
  };
}

}  // namespace
}  // namespace lambdacast::bench

int main(int argc, char** argv) {
  namespace app = lambdacast::app;
  const app::CommandLine line = app::split(argc, argv);
  CLI::App cli("Measures Lambdacast.\nlambdacast-bench [EAL OPTIONS --] BENCHMARK OPTIONS",
               "lambdacast-bench");
  app::add_version_flag(cli);
  cli.require_subcommand(1);
  const auto cases = lambdacast::bench::add_cases(cli);
  try {
    cli.parse(std::vector<std::string>(line.own.rbegin(), line.own.rend()));
  } catch (const CLI::ParseError& error) {
    return app::refused(cli, error);
  }
  for (const auto& each : cases) {
    if (each.command->parsed()) return each.run(line);
  }
  return app::kExitUsage;
}
