// SPDX-License-Identifier: BSD-3-Clause
#include "order.h"

#include <fmt/format.h>

#include <map>

#include "../command_line.h"
#include "sim/multicast/order_run.h"

namespace lambdacast::sim_program {

namespace {

using wire::Qos;

struct Level {
  Qos qos;
  const char* name;
  double most;  // of source ordered's latency, and it may not grow; 0: neither is promised
};

// A majority of three is a third member and the sequencer, whose mark acknowledges: it grows.
constexpr Level kLevels[] = {{Qos::kSourceOrdered, "source ordered", 0},
                             {Qos::kTotallyOrdered, "totally ordered", 2.3},
                             {Qos::kKResilient, "K-resilient, K = 1", 0},
                             {Qos::kMajority, "majority", 0},
                             {Qos::kTotallyResilient, "totally resilient", 3.5}};
constexpr double kMostGrowth = 1.2;  // from the first number of nodes to any other

ordering::Order order_of(const OrderOptions& options) {
  return options.order == "ring"    ? ordering::Order::kRing
         : options.order == "mixed" ? ordering::Order::kMixed
                                    : ordering::Order::kSequencer;
}

// The promise of a level at so many nodes, in source ordered's latency.
struct Bound {
  double least = 0;
  double most = 0;  // 0: nothing
  bool flat = false;
};

// The ring's levels count those who have had the token since: a majority half a round, all of them
// a round.
Bound bound_of(const OrderOptions& options, const Level& level, size_t nodes) {
  const auto n = static_cast<double>(nodes);
  if (options.order != "ring") return {0, level.most, true};
  switch (level.qos) {
    case Qos::kTotallyOrdered:
    case Qos::kKResilient:
      return {0, 2.3, true};
    case Qos::kMajority:
      return {0, 1.1 * static_cast<double>(2 + nodes / 2), false};
    case Qos::kTotallyResilient:
      return {nodes < 4 ? 0 : n, 1.1 * (n + 1), false};
    default:
      return {};
  }
}

sim::OrderRun run_of(const OrderOptions& options, size_t nodes, Qos level) {
  return {.nodes = nodes,
          .level = level,
          .path_mtu = options.path_mtu,
          .messages = options.messages,
          .latency_ns = options.latency_ns,
          .ack_ns = options.ack_ns,
          .seed = options.seed,
          .order = order_of(options)};
}

class LatencyTable {
 public:
  explicit LatencyTable(const OrderOptions& options) : options_(options) {}

  [[nodiscard]] bool print() {
    fmt::print(
        "| level | nodes | p50, us | p99, us | p50, source ordered | p99, source ordered | "
        "p50, fewest nodes | held |\n|---|---|---|---|---|---|---|---|\n");
    bool held = true;
    for (const Level& level : kLevels) {
      first_p50_ns_ = 0;
      for (const size_t nodes : options_.nodes) held &= print_row(level, nodes);
    }
    return held;
  }

 private:
  bool print_row(const Level& level, size_t nodes) {
    const sim::OrderFigures figures = sim::measure_order(run_of(options_, nodes, level.qos));
    if (level.qos == Qos::kSourceOrdered) source_[nodes] = figures;
    const auto p50 = static_cast<double>(figures.p50_ns);
    const auto p99 = static_cast<double>(figures.p99_ns);
    if (first_p50_ns_ == 0) first_p50_ns_ = p50;
    const double times50 = p50 / static_cast<double>(source_[nodes].p50_ns);
    const double times99 = p99 / static_cast<double>(source_[nodes].p99_ns);
    const double growth = p50 / first_p50_ns_;
    const Bound bound = bound_of(options_, level, nodes);
    const bool held = bound.most == 0 || (times50 <= bound.most && times50 >= bound.least &&
                                          (!bound.flat || growth <= kMostGrowth));
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {} |\n", level.name, nodes,
               p50 / 1e3, p99 / 1e3, times50, times99, growth,
               !figures.sound()  ? "incomplete"
               : bound.most == 0 ? "-"
               : held            ? "yes"
                                 : "exceeded");
    return figures.sound() && held;
  }

  const OrderOptions& options_;
  std::map<size_t, sim::OrderFigures> source_;  // by number of nodes
  double first_p50_ns_ = 0;                     // of the level
};

// As many as ack_ns allows, however many messages.
bool print_acknowledgements(const OrderOptions& options) {
  constexpr uint64_t kEveryNs[] = {50'000, 5'000, 2'000, 500};
  constexpr uint64_t kTrafficNs = 20'000'000;
  fmt::print(
      "\n| nodes | a message each, us | acknowledgements a member a ms, at most {:.0f} and "
      "heartbeats | "
      "packets of marks a message |\n|---|---|---|---|\n",
      1e6 / static_cast<double>(options.ack_ns));
  bool sound = true;
  for (const size_t nodes : {options.nodes.front(), options.nodes.back()}) {
    for (const uint64_t every_ns : kEveryNs) {
      sim::OrderRun run = run_of(options, nodes, Qos::kTotallyResilient);
      run.every_ns = every_ns;
      run.messages = kTrafficNs / every_ns;
      const sim::OrderFigures figures = sim::measure_order(run);
      fmt::print("| {} | {:g} | {:.0f} | {:.3f} |\n", nodes, static_cast<double>(every_ns) / 1e3,
                 figures.acks_per_ms, figures.marks_per_message);
      sound &= figures.sound();
    }
  }
  return sound;
}

// The frames of the protocol's own that each member sends where all send, and how evenly marks are
// shared out. Of a ring it looks whether the token comes to rest.
bool print_shares(const OrderOptions& options) {
  constexpr uint64_t kRestNs = 10'000'000'000;
  fmt::print(
      "\n| nodes | level | control frames a member a ms, one sends each 5 us | busiest member's "
      "marks, all send, in those of the mean | passes behind the last message, in 10 s |\n"
      "|---|---|---|---|---|\n");
  bool sound = true;
  for (const Level& level : {kLevels[1], kLevels[4]}) {
    sim::OrderRun run = run_of(options, options.nodes.back(), level.qos);
    run.every_ns = 5'000;
    run.messages = 4'000;
    const sim::OrderFigures one = sim::measure_order(run);
    run.all_send = true;
    run.every_ns = 50'000;
    run.messages = 400;
    const sim::OrderFigures all = sim::measure_order(run);
    sound &= one.sound() && all.one_view;
    std::string passes = "-";
    if (run.order != ordering::Order::kSequencer) {
      run.rest_ns = kRestNs;
      run.messages = 10;
      const sim::OrderFigures rest = sim::measure_order(run);
      passes = std::to_string(rest.last_passes);
      sound &= rest.one_view;
    }
    fmt::print("| {} | {} | {:.1f} | {:.2f} | {} |\n", run.nodes, level.name, one.control_per_ms,
               all.most_marks, passes);
  }
  return sound;
}

// Runs of ten seconds, each with clocks of its own: who is alive must never be suspected. Nodes
// hear one another every 100 us at least, and are polled when there is something to do.
bool print_false_views(const OrderOptions& options) {
  constexpr uint64_t kRunS = 10;
  constexpr uint64_t kEveryNs = 1'000'000;
  fmt::print(
      "| nodes | suspect_after, us | seconds | runs in which the first view lasted |\n"
      "|---|---|---|---|\n");
  bool lasted = true;
  for (const size_t nodes : options.nodes) {
    const uint64_t runs = (options.false_views_s + kRunS - 1) / kRunS;
    uint64_t right = 0;
    for (uint64_t i = 0; i < runs; ++i) {
      sim::OrderRun run = run_of(options, nodes, Qos::kTotallyResilient);
      run.suspect_after_ns = options.suspect_us * 1'000;
      run.every_ns = kEveryNs;
      run.messages = kRunS * 1'000'000'000 / kEveryNs;
      run.seed = options.seed + i;
      right += sim::measure_order(run).sound() ? 1 : 0;
    }
    fmt::print("| {} | {} | {} | {} of {} |\n", nodes, options.suspect_us, runs * kRunS, right,
               runs);
    lasted &= right == runs;
  }
  return lasted;
}

}  // namespace

int run_order(const OrderOptions& options) {
  if (options.false_views_s != 0)
    return print_false_views(options) ? app::kExitOk : app::kExitFailed;
  const bool held = LatencyTable(options).print();
  const bool sound = print_acknowledgements(options) && print_shares(options);
  return sound && held ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
