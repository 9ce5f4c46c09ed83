// SPDX-License-Identifier: BSD-3-Clause
#include "figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "../command_line.h"
#include "../plot.h"
#include "base/plain_text.h"
#include "report_file.h"
#include "sim/rivals/own.h"

namespace lambdacast::sim_program {

namespace {

using Json = nlohmann::ordered_json;
using sim::rivals::LoadFigures;
using sim::rivals::LoadRun;
using wire::Qos;

constexpr uint32_t kMost = 8;
// Whoever has always more to send is held to that part of its fair share of a receiver's line.
constexpr double kSaturatedShare = 0.98;
// Acknowledgements are 7 to 56 frames in front of each receiver in that time, which are the rest of
// a line at 0.98 of the shares.
constexpr uint64_t kSaturatedAckNs = 1'000'000;
constexpr uint64_t kAckNs = 20'000;
constexpr uint64_t kLoadedAckNs = 100'000;

// How many times Ring Paxos the throughput is at least (Figure 6), by number of nodes.
double least_of_ring_paxos(uint32_t nodes) { return nodes == 2 ? 1.8 : nodes <= 4 ? 1.2 : 1.05; }

class Figures {
 public:
  explicit Figures(const FiguresOptions& options)
      : options_(options), out_(options.json == "-" ? stderr : stdout) {
    json_["figure"] = options.figure;
    plot_.with_points = true;
  }

  void throughput();
  void response();
  void latency();

  [[nodiscard]] bool held() const { return held_; }
  // The fault that kept it from being written, or nothing.
  [[nodiscard]] std::string write() {
    json_["held"] = held_;
    if (!write_report(json_, options_.json)) return "cannot write the report " + options_.json;
    return options_.plot.empty() ? std::string() : app::draw(plot_, options_.plot);
  }

 private:
  [[nodiscard]] LoadRun run_of(uint32_t nodes) const {
    LoadRun run;
    run.nodes = nodes;
    run.message_bytes = options_.message_bytes;
    run.line_bps = options_.line_mbps * 1'000'000;
    run.latency_ns = options_.latency_us * 1'000;
    run.measure_ns = options_.measure_ms * 1'000'000;
    return run;
  }
  [[nodiscard]] LoadFigures own(const LoadRun& run, Qos level, uint64_t ack_ns,
                                ordering::Order order = ordering::Order::kSequencer,
                                double of_share = kSaturatedShare) const {
    return sim::rivals::measure_own({.load = run,
                                     .level = level,
                                     .order = order,
                                     .ack_ns = ack_ns,
                                     .of_share = of_share,
                                     .seed = options_.seed});
  }
  void begin_plot(const char* title, const char* x, const char* y,
                  const std::vector<std::string>& curves) {
    plot_.title = title;
    plot_.x_label = x;
    plot_.y_label = y;
    for (const std::string& each : curves) plot_.curves.push_back({each, {}});
  }
  void point(size_t curve, double x, double y) { plot_.curves[curve].points.emplace_back(x, y); }
  const char* judge(bool held) {
    held_ &= held;
    return held ? "yes" : "no";
  }

  const FiguresOptions& options_;
  std::FILE* out_;
  Json json_;
  app::Plot plot_;
  bool held_ = true;
};

double mbps(double bps) { return bps / 1e6; }
double us(double ns) { return ns / 1e3; }

// Figure 6: what each node delivers if all send as much as they can.
void Figures::throughput() {
  begin_plot("Throughput, all nodes send 10 kB messages", "nodes", "Mbit/s at a node",
             {"sequencer", "ring", "LCR", "Ring Paxos", "optimum"});
  fmt::print(out_,
             "| nodes | optimum, Mbit/s | sequencer | ring | LCR | Ring Paxos | of optimum | times "
             "Ring Paxos | of LCR | held |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const uint32_t nodes : options_.nodes) {
    const LoadRun run = run_of(nodes);
    const LoadFigures ours = own(run, Qos::kTotallyResilient, kSaturatedAckNs);
    const LoadFigures ring =
        own(run, Qos::kTotallyResilient, kSaturatedAckNs, ordering::Order::kRing);
    const LoadFigures lcr = sim::rivals::measure_lcr(run);
    const LoadFigures paxos = sim::rivals::measure_ring_paxos(run);
    const double optimum = sim::rivals::optimum_bps(run);
    bool held = lcr.one_order && paxos.one_order;
    std::string of_optimum, of_paxos, of_lcr;
    for (const LoadFigures& engine : {ours, ring}) {
      const double by_lcr = engine.delivered_bps / lcr.delivered_bps;
      const double by_paxos = engine.delivered_bps / paxos.delivered_bps;
      held = held && engine.one_order && by_paxos >= least_of_ring_paxos(nodes) && by_lcr >= 0.95 &&
             by_lcr <= 1.05;
      const char* comma = of_lcr.empty() ? "" : ", ";
      of_optimum += fmt::format("{}{:.3f}", comma, engine.delivered_bps / optimum);
      of_paxos += fmt::format("{}{:.2f}", comma, by_paxos);
      of_lcr += fmt::format("{}{:.3f}", comma, by_lcr);
    }
    fmt::print(out_, "| {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {} | {} | {} | {} |\n",
               nodes, mbps(optimum), mbps(ours.delivered_bps), mbps(ring.delivered_bps),
               mbps(lcr.delivered_bps), mbps(paxos.delivered_bps), of_optimum, of_paxos, of_lcr,
               judge(held));
    const double values[] = {ours.delivered_bps, ring.delivered_bps, lcr.delivered_bps,
                             paxos.delivered_bps, optimum};
    for (size_t i = 0; i < std::size(values); ++i) point(i, nodes, mbps(values[i]));
    json_["rows"].push_back({{"nodes", nodes},
                             {"optimum_bps", optimum},
                             {"own_bps", ours.delivered_bps},
                             {"own_ring_bps", ring.delivered_bps},
                             {"lcr_bps", lcr.delivered_bps},
                             {"ring_paxos_bps", paxos.delivered_bps},
                             {"held", held}});
  }
}

// Figure 7: eight nodes, and how long a message takes at its sender by the load of all together.
void Figures::response() {
  begin_plot("Response time at the sender, eight nodes", "Mbit/s of all senders", "us",
             {"Lambdacast, totally resilient", "LCR", "Ring Paxos", "Lambdacast, totally ordered"});
  fmt::print(out_,
             "| load, Mbit/s | totally resilient, us | totally ordered | LCR | Ring Paxos | held "
             "|\n|---|---|---|---|---|---|\n");
  for (const uint64_t load : options_.loads_mbps) {
    LoadRun run = run_of(kMost);
    run.load_bps = load * 1'000'000;
    // The load is given, so that nobody is held below its fair share.
    const auto sequencer = [&](Qos level) {
      return own(run, level, kLoadedAckNs, ordering::Order::kSequencer, 1);
    };
    const LoadFigures all[] = {sequencer(Qos::kTotallyResilient), sim::rivals::measure_lcr(run),
                               sim::rivals::measure_ring_paxos(run),
                               sequencer(Qos::kTotallyOrdered)};
    // Ours has to be faster than a rival as long as that delivers all that it is given.
    bool held = true;
    for (const size_t rival : {1, 2}) {
      if (!all[rival].keeps_up()) continue;
      held = held && all[0].keeps_up() && all[0].response_ns < all[rival].response_ns;
    }
    const auto shown = [](const LoadFigures& figures) {
      return figures.keeps_up() ? fmt::format("{:.0f}", us(figures.response_ns)) : "-";
    };
    fmt::print(out_, "| {} | {} | {} | {} | {} | {} |\n", load, shown(all[0]), shown(all[3]),
               shown(all[1]), shown(all[2]), judge(held));
    Json row = {{"load_bps", run.load_bps}, {"held", held}};
    constexpr const char* kNames[] = {"own_resilient_ns", "lcr_ns", "ring_paxos_ns",
                                      "own_ordered_ns"};
    for (size_t i = 0; i < std::size(all); ++i) {
      if (!all[i].keeps_up()) continue;
      point(i, static_cast<double>(load), us(all[i].response_ns));
      row[kNames[i]] = all[i].response_ns;
    }
    json_["rows"].push_back(std::move(row));
  }
}

// Figure 8: the same where nothing else is under way, by number of nodes. What is judged is the
// sequencer's order, and that what the token's whole round confirms takes half of LCR's time at
// most. Both rivals deliver what all or most have, as the resilient levels do: with a sequencer
// they wait for one round of acknowledgements more.
void Figures::latency() {
  constexpr uint64_t kLoadBps = 1'000'000;
  constexpr uint64_t kMessages = 20;
  begin_plot("Latency at the sender, which sends 1 Mbit/s alone", "nodes", "us",
             {"sequencer, totally resilient", "LCR", "Ring Paxos", "sequencer, totally ordered",
              "ring, totally resilient"});
  fmt::print(
      out_,
      "| nodes | totally ordered, us | totally resilient, us | ring, totally resilient | LCR | "
      "Ring Paxos | LCR and Ring Paxos, times ordered | times resilient | held |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  double first = 0;
  for (const uint32_t nodes : options_.nodes) {
    LoadRun run = run_of(nodes);
    run.load_bps = kLoadBps;
    run.senders = 1;
    run.measure_ns = kMessages * sim::rivals::period_ns(run);
    const double ours = own(run, Qos::kTotallyResilient, kAckNs).response_ns;
    const double ordered = own(run, Qos::kTotallyOrdered, kAckNs).response_ns;
    const double ring =
        own(run, Qos::kTotallyResilient, kAckNs, ordering::Order::kRing).response_ns;
    const double lcr = sim::rivals::measure_lcr(run).response_ns;
    const double paxos = sim::rivals::measure_ring_paxos(run).response_ns;
    if (first == 0) first = ordered;
    const bool flat = ordered <= 1.1 * first && first <= 1.1 * ordered;
    const bool far =
        nodes != kMost || (lcr >= 4 * ordered && paxos >= 1.8 * ordered && lcr >= 2 * ring);
    fmt::print(out_,
               "| {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.2f}, {:.2f} | {:.2f}, "
               "{:.2f} | {} |\n",
               nodes, us(ordered), us(ours), us(ring), us(lcr), us(paxos), lcr / ordered,
               paxos / ordered, lcr / ours, paxos / ours,
               judge(ordered > 0 && ring > 0 && flat && far));
    const double values[] = {ours, lcr, paxos, ordered, ring};
    for (size_t i = 0; i < std::size(values); ++i) point(i, nodes, us(values[i]));
    json_["rows"].push_back({{"nodes", nodes},
                             {"own_resilient_ns", ours},
                             {"own_ordered_ns", ordered},
                             {"own_ring_ns", ring},
                             {"lcr_ns", lcr},
                             {"ring_paxos_ns", paxos},
                             {"held", flat && far}});
  }
}

}  // namespace

int run_figures(const FiguresOptions& options) {
  const auto complain = [](const std::string& what) {
    fmt::print(stderr, "lambdacast-sim: {}\n", base::shown(what));
    return app::kExitUsage;
  };
  if (const std::string missing = options.plot.empty() ? "" : app::gnuplot_missing();
      !missing.empty())
    return complain(missing);
  Figures figures(options);
  if (options.figure == 6) figures.throughput();
  if (options.figure == 7) figures.response();
  if (options.figure == 8) figures.latency();
  if (const std::string wrong = figures.write(); !wrong.empty()) return complain(wrong);
  return figures.held() ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
