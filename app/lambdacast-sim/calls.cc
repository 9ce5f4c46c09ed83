// SPDX-License-Identifier: BSD-3-Clause
#include "calls.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "../command_line.h"
#include "sim/multicast/call_run.h"
#include "sim/multicast/order_run.h"

namespace lambdacast::sim_program {

namespace {

constexpr double kMostInside = 4.4;   // in source ordered's latency, with sequencers
constexpr double kMostOutside = 5.5;  // the same from outside the view
constexpr double kMostGrant = 3.5;
constexpr double kMostGrowth = 1.2;  // from the fewest nodes to any other number

// Asking for a lock is totally resilient: with a ring all members have had the token since.
double most_grant(bool ring, size_t nodes) {
  return ring ? 1.1 * static_cast<double>(nodes + 1) : kMostGrant;
}

}  // namespace

CLI::App* add_calls(CLI::App& cli, CallsOptions& calls) {
  CLI::App* command = cli.add_subcommand(
      "calls", "how long locks and calls take, from inside the view and from outside");
  command->add_option("--nodes", calls.nodes, "members of the view")
      ->delimiter(',')
      ->check(CLI::Range(4, 80))
      ->capture_default_str();
  command->add_option("--calls", calls.calls, "of each kind in each row")
      ->check(CLI::Range(10, 100'000))
      ->capture_default_str();
  command->add_option("--latency-ns", calls.latency_ns, "of each link, one way")
      ->check(CLI::Range(100, 1'000'000))
      ->capture_default_str();
  command->add_option("--ack-ns", calls.ack_ns, "least time between two acknowledgements")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--seed", calls.seed, "of the nodes' clocks")->capture_default_str();
  command->add_option("--order", calls.order, "who says what comes next: sequencer or ring")
      ->check(CLI::IsMember({"sequencer", "ring"}))
      ->capture_default_str();
  return command;
}

int run_calls(const CallsOptions& options) {
  const bool ring = options.order == "ring";
  const auto order = ring ? ordering::Order::kRing : ordering::Order::kSequencer;
  fmt::print(
      "| nodes | source ordered, us | a free lock | call, inside | call, outside | held |\n"
      "|---|---|---|---|---|---|\n");
  bool all_held = true;
  double fewest = 0;
  for (const size_t nodes : options.nodes) {
    const sim::OrderFigures source = sim::measure_order({.nodes = nodes,
                                                         .level = wire::Qos::kSourceOrdered,
                                                         .latency_ns = options.latency_ns,
                                                         .ack_ns = options.ack_ns,
                                                         .seed = options.seed,
                                                         .order = order});
    const sim::CallFigures figures = sim::measure_calls({.nodes = nodes,
                                                         .calls = options.calls,
                                                         .latency_ns = options.latency_ns,
                                                         .ack_ns = options.ack_ns,
                                                         .seed = options.seed,
                                                         .order = order});
    const auto unit = static_cast<double>(source.p50_ns);
    const double grant = static_cast<double>(figures.grant_p50_ns) / unit;
    const double inside = static_cast<double>(figures.inside_p50_ns) / unit;
    const double outside = static_cast<double>(figures.outside_p50_ns) / unit;
    const bool whole = figures.grants >= options.calls && figures.outside >= options.calls &&
                       figures.inside + 1 >= options.calls;
    if (fewest == 0) fewest = inside;
    // With a ring a majority takes half a round, and nothing is promised of calls.
    const bool held = grant <= most_grant(ring, nodes) &&
                      (ring || (inside <= kMostInside && outside <= kMostOutside &&
                                inside <= kMostGrowth * fewest));
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {} |\n", nodes, unit / 1e3, grant,
               inside, outside,
               !whole ? "incomplete"
               : held ? "yes"
                      : "exceeded");
    all_held &= whole && held;
  }
  return all_held ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
