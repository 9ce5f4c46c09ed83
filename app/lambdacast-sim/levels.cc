// SPDX-License-Identifier: BSD-3-Clause
#include "levels.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string>

#include "../command_line.h"
#include "sim/rivals/own.h"

namespace lambdacast::sim_program {

namespace {

using ordering::Order;
using sim::rivals::LoadRun;
using sim::rivals::OwnRun;
using wire::Qos;

constexpr Qos kLevels[] = {Qos::kSourceOrdered, Qos::kTotallyOrdered, Qos::kKResilient,
                           Qos::kMajority, Qos::kTotallyResilient};
constexpr double kOfShare = 0.95;
constexpr double kOff = 0.05;        // the most that a level is off the target, or off another one
constexpr double kLossyLeast = 0.9;  // of what is left where each message goes E[T] times
constexpr double kLeastLines = 7;    // that eight receivers of one sender take together
constexpr uint32_t kReceivers = 8;

const char* name_of(Order order) { return order == Order::kRing ? "ring" : "sequencer"; }
const char* shown(bool held) { return held ? "yes" : "missed"; }

// How often a message goes on average until each of `receivers` has a copy that was not lost.
double transmissions(double loss, uint32_t receivers) {
  double expected = 0;
  double lost_so_far = 1;  // the probability that one receiver lacks it
  double some_lack = 1;
  while (some_lack > 1e-12) {
    expected += some_lack;
    lost_so_far *= loss;
    some_lack = 1 - std::pow(1 - lost_so_far, receivers);
  }
  return expected;
}

class Levels {
 public:
  explicit Levels(const LevelsOptions& options) : options_(options) {}

  void all_send() {
    fmt::print(
        "| engine | nodes | target, Mbit/s | source ordered | totally ordered | K = 1 | majority | "
        "totally resilient | held |\n|---|---|---|---|---|---|---|---|---|\n");
    for (const Order order : {Order::kSequencer, Order::kRing})
      for (const uint32_t nodes : options_.nodes) print_levels(order, nodes);
  }
  void some_is_lost() {
    fmt::print(
        "\n| engine | nodes | loss of a copy | transmissions a message | totally ordered, of the "
        "target | of what transmissions leave | held |\n|---|---|---|---|---|---|---|\n");
    for (const Order order : {Order::kSequencer, Order::kRing}) {
      for (const uint32_t nodes : options_.nodes) {
        const double expected = transmissions(options_.loss, nodes - 1);
        const double part =
            delivered(of(order, nodes, Qos::kTotallyOrdered, options_.loss)) / target_bps(nodes);
        fmt::print("| {} | {} | {:g} | {:.3f} | {:.3f} | {:.3f} | {} |\n", name_of(order), nodes,
                   options_.loss, expected, part, part * expected,
                   judge(part * expected >= kLossyLeast));
      }
    }
  }
  // Eight receivers of one sender take its line eight times together, at most.
  void one_sends() {
    fmt::print(
        "\n| engine | level | lines that {} receivers of one sender take | held |\n"
        "|---|---|---|---|\n",
        kReceivers);
    for (const Order order : {Order::kSequencer, Order::kRing}) {
      for (const Qos level : {Qos::kSourceOrdered, Qos::kTotallyOrdered, Qos::kTotallyResilient}) {
        OwnRun run = of(order, kReceivers + 1, level, 0);
        run.load.senders = 1;
        run.alone = true;
        const double lines = kReceivers * delivered(run) / static_cast<double>(line_bps());
        fmt::print("| {} | {} | {:.2f} | {} |\n", name_of(order),
                   level == Qos::kSourceOrdered    ? "source ordered"
                   : level == Qos::kTotallyOrdered ? "totally ordered"
                                                   : "totally resilient",
                   lines, judge(lines >= kLeastLines));
      }
    }
  }
  [[nodiscard]] bool held() const { return held_; }

 private:
  [[nodiscard]] uint64_t line_bps() const { return options_.line_mbps * 1'000'000; }
  [[nodiscard]] OwnRun of(Order order, uint32_t nodes, Qos level, double loss) const {
    // Acknowledgements have to fit the rest of a line at these shares.
    constexpr uint64_t kAckNs = 1'000'000;
    OwnRun run;
    run.load.nodes = nodes;
    run.load.message_bytes = options_.message_bytes;
    run.load.line_bps = line_bps();
    run.load.latency_ns = options_.latency_us * 1'000;
    run.load.measure_ns = options_.measure_ms * 1'000'000;
    run.level = level;
    run.order = order;
    run.ack_ns = kAckNs;
    run.of_share = kOfShare;
    run.loss = loss;
    run.seed = options_.seed;
    return run;
  }
  // Application bits of what the shares let go.
  [[nodiscard]] double target_bps(uint32_t nodes) const {
    const LoadRun run = of(Order::kSequencer, nodes, Qos::kTotallyOrdered, 0).load;
    return kOfShare * sim::rivals::optimum_bps(run) * run.message_bytes /
           static_cast<double>(sim::rivals::wire_bytes(run));
  }
  double delivered(const OwnRun& run) {
    const sim::rivals::LoadFigures figures = sim::rivals::measure_own(run);
    if (run.level > Qos::kSourceOrdered) {
      held_ &= figures.one_order;
      return figures.delivered_bps;
    }
    // Nobody delivers messages of its own, which the others deliver.
    return figures.delivered_bps * run.load.nodes / (run.load.nodes - 1);
  }
  const char* judge(bool held) {
    held_ &= held;
    return shown(held);
  }
  void print_levels(Order order, uint32_t nodes) {
    const double target = target_bps(nodes);
    double least = 2, most = 0;
    std::string row;
    for (const Qos level : kLevels) {
      const double part = delivered(of(order, nodes, level, 0)) / target;
      least = std::min(least, part);
      most = std::max(most, part);
      row += fmt::format(" {:.3f} |", part);
    }
    const bool held = least >= 1 - kOff && most <= 1 + kOff && most - least <= kOff;
    fmt::print("| {} | {} | {:.0f} |{} {} |\n", name_of(order), nodes, target / 1e6, row,
               judge(held));
  }

  const LevelsOptions& options_;
  bool held_ = true;
};

}  // namespace

CLI::App* add_levels(CLI::App& cli, LevelsOptions& levels) {
  CLI::App* command = cli.add_subcommand(
      "levels", "how much the levels of service deliver, with a sequencer and with a ring");
  command->add_option("--nodes", levels.nodes, "members of the view")
      ->delimiter(',')
      ->check(CLI::Range(2, 16))
      ->capture_default_str();
  command->add_option("--message-bytes", levels.message_bytes, "of each message")
      ->check(CLI::Range(5'000, 100'000))
      ->capture_default_str();
  command->add_option("--line-mbps", levels.line_mbps, "of each node, either way, Mbit/s")
      ->check(CLI::Range(100, 100'000))
      ->capture_default_str();
  command->add_option("--latency-us", levels.latency_us, "of each link, one way")
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  command->add_option("--measure-ms", levels.measure_ms, "of virtual time")
      ->check(CLI::Range(10, 10'000))
      ->capture_default_str();
  command->add_option("--loss", levels.loss, "of each copy of a frame, in the second table")
      ->check(CLI::Range(0.0, 0.3))
      ->capture_default_str();
  command->add_option("--seed", levels.seed, "of the nodes' clocks, and of what is lost")
      ->capture_default_str();
  return command;
}

int run_levels(const LevelsOptions& options) {
  Levels levels(options);
  levels.all_send();
  levels.some_is_lost();
  levels.one_sends();
  return levels.held() ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
