// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/rate_run.h"

#include <algorithm>
#include <numeric>

#include "base/node_set.h"
#include "rate_control/max_min.h"
#include "sim/engine/served_queue.h"
#include "sim/multicast/rate_scenario.h"
#include "sim/multicast/run_figures.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

namespace {

constexpr uint64_t kRaiseEveryNs = 1'000'000;

// When a life may send that much, from then on; kNever.
uint64_t granted_at(const Log& log, size_t node, uint64_t from_ns, uint64_t bps) {
  for (const Allowance& each : log.allowances) {
    if (each.at_ns >= from_ns && log.lives[each.life].node == node && each.bps >= bps)
      return each.at_ns;
  }
  return kNever;
}

// --- raises --------------------------------------------------------------------------------------

constexpr uint64_t kAlmostPercent = 95;  // of its share, that a member needs before its raise

uint64_t share_of(const RaiseRun& run) {
  return rate_control::room_bps({.capacity_bps = run.capacity_bps}) / (run.nodes - 1);
}
size_t raised(const RaiseRun& run, uint64_t raise) { return raise % run.nodes; }
uint64_t raise_ns(const RaiseRun& run, uint64_t raise) {
  return rate_load_ns(run.nodes) + raise * kRaiseEveryNs;
}

// Before each raise two members need a little less than their shares, which the others have then.
// One of the two remains so.
Scenario scenario_of(const RaiseRun& run) {
  const uint64_t share = share_of(run);
  rate_control::RateConfig rate{.policy = rate_control::Policy::kFair,
                                .need_bps = run.capacity_bps,
                                .capacity_bps = run.capacity_bps};
  Scenario scenario = rate_scenario({.nodes = run.nodes,
                                     .latency_ns = run.latency_ns,
                                     .ack_ns = run.ack_ns,
                                     .window_pkts = run.window_pkts},
                                    rate);
  const auto need = [&](uint64_t at_ns, size_t node, uint64_t bps) {
    scenario.actions.push_back({at_ns, node % run.nodes, Action::What::kNeed, bps});
  };
  for (uint64_t raise = 0; raise < run.raises; ++raise) {
    const size_t node = raised(run, raise);
    const uint64_t at_ns = raise_ns(run, raise);
    need(at_ns - kRaiseEveryNs / 2, node, share * kAlmostPercent / 100);
    need(at_ns - kRaiseEveryNs / 2, node + 1, share * kAlmostPercent / 100);
    need(at_ns, node, share);
    need(at_ns + kRaiseEveryNs / 4, node, run.capacity_bps);
    need(at_ns + kRaiseEveryNs / 4, node + 1, run.capacity_bps);
  }
  end_rate_scenario(scenario, raise_ns(run, run.raises));
  if (!run.loaded) return scenario;
  constexpr uint32_t kMessageBytes = 4'048;
  for (size_t node = 0; node < run.nodes; ++node)
    publish_at(scenario, node, kMessageBytes, share / 10 * 9, raise_ns(run, run.raises));
  return scenario;
}

}  // namespace

RaiseFigures measure_raises(const RaiseRun& run, const EndpointFactory& factory) {
  const Scenario scenario = scenario_of(run);
  Simulation simulation(scenario, run.seed, factory);
  RaiseFigures figures;
  simulation.at_end = [&](size_t, const SimEndpoint& endpoint) {
    figures.windows_closed += endpoint.node().sender().counters().window_closed;
  };
  const Log log = simulation.run().log;
  figures.one_view = is_one_view(log, run.nodes);
  std::vector<uint64_t> times_ns;
  for (uint64_t raise = 0; raise < run.raises; ++raise) {
    ++figures.asked;
    const uint64_t at_ns = raise_ns(run, raise);
    const uint64_t granted_ns = granted_at(log, raised(run, raise), at_ns, share_of(run));
    if (granted_ns - at_ns > kRaiseEveryNs / 4) continue;
    ++figures.granted;
    times_ns.push_back(granted_ns - at_ns);
  }
  std::sort(times_ns.begin(), times_ns.end());
  figures.p50_ns = value_at(times_ns, 0.5);
  figures.max_ns = value_at(times_ns, 1);
  return figures;
}

// --- the figure ----------------------------------------------------------------------------------

FigureRates figure_needs(size_t plateau) {
  FigureRates needs;
  needs.fill(1.0 / 3);
  if (plateau >= 1) needs[0] = 0.1;
  if (plateau >= 2) needs[1] = 0.1;
  if (plateau >= 3) needs[2] = 0.8;
  if (plateau >= 4) {
    needs[0] = 0.5;
    needs[2] = 0.2;
  }
  return needs;
}

FigureRates figure_optimum(size_t plateau) {
  constexpr double kOne = 1e12;  // bits/s that stand for a receiver's room
  const FigureRates needs = figure_needs(plateau);
  std::array<uint64_t, kFigureNodes> cap;
  std::array<uint64_t, kFigureNodes> room;
  std::array<base::NodeSet, kFigureNodes> hears;
  for (size_t node = 0; node < kFigureNodes; ++node) {
    cap[node] = static_cast<uint64_t>(needs[node] * kOne);
    room[node] = static_cast<uint64_t>(kOne);
    hears[node] = base::NodeSet::first(kFigureNodes);
    hears[node].remove(node);
  }
  std::array<rate_control::FilledShare, kFigureNodes> shares;
  rate_control::fill({cap, room, hears}, shares);
  FigureRates optimum;
  for (size_t node = 0; node < kFigureNodes; ++node)
    optimum[node] = static_cast<double>(shares[node].bps) / kOne;
  return optimum;
}

double jain_index(const FigureRates& parts) {
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  const double squares = std::inner_product(parts.begin(), parts.end(), parts.begin(), 0.0);
  return squares > 0 ? sum * sum / (parts.size() * squares) : 0;
}

double FigureFigures::least_part() const {
  double least = 1e9;
  for (const FigureRates& each : parts)
    least = std::min(least, *std::min_element(each.begin(), each.end()));
  return least;
}

double FigureFigures::most_part() const {
  double most = 0;
  for (const FigureRates& each : parts)
    most = std::max(most, *std::max_element(each.begin(), each.end()));
  return most;
}

double FigureFigures::least_jain() const {
  double least = 1;
  for (const FigureRates& each : parts) least = std::min(least, jain_index(each));
  return least;
}

namespace {

double room_of(const FigureRun& run) {
  return static_cast<double>(rate_control::room_bps({.capacity_bps = run.capacity_bps}));
}
uint64_t plateau_ns(const FigureRun& run, size_t plateau) {
  return rate_load_ns(kFigureNodes) + plateau * run.plateau_ns;
}

Scenario scenario_of(const FigureRun& run) {
  rate_control::RateConfig rate{.policy = rate_control::Policy::kFair,
                                .need_bps = static_cast<uint64_t>(room_of(run) / 3),
                                .capacity_bps = run.capacity_bps,
                                .burst_ns = run.burst_ns,
                                .buffer_bytes = run.buffer_bytes};
  Scenario scenario = rate_scenario(
      {.nodes = kFigureNodes, .latency_ns = run.latency_ns, .ack_ns = run.ack_ns}, rate);
  // Twice as often as a receiver takes frames: there is always one more to send.
  const uint64_t every_ns =
      rate_frame_bytes(run.message_bytes) * 4 * 1'000'000'000 / run.capacity_bps;
  for (NodeScenario& node : scenario.nodes) {
    node.traffic.min_message_bytes = node.traffic.max_message_bytes = run.message_bytes;
    node.traffic.publish_every_ns = every_ns;
    node.traffic.messages = ~uint64_t{0};
  }
  for (size_t plateau = 1; plateau < kPlateaus; ++plateau) {
    const FigureRates before = figure_needs(plateau - 1);
    const FigureRates needs = figure_needs(plateau);
    for (size_t node = 0; node < kFigureNodes; ++node) {
      if (needs[node] == before[node]) continue;
      scenario.actions.push_back({plateau_ns(run, plateau), node, Action::What::kNeed,
                                  static_cast<uint64_t>(needs[node] * room_of(run))});
    }
  }
  end_rate_scenario(scenario, plateau_ns(run, kPlateaus));
  return scenario;
}

// Reads the rates of messages on each plateau, without the changes between them.
void read_parts(const FigureRun& run, const Log& log, FigureFigures& figures) {
  const uint64_t settle_ns = 20 * 2 * run.latency_ns;
  std::array<std::array<uint64_t, kFigureNodes>, kPlateaus> bytes{};
  for (const OnWire& frame : log.wire) {
    if (frame.bytes <= run.message_bytes || frame.at_ns < rate_load_ns(kFigureNodes)) continue;
    const size_t plateau = (frame.at_ns - rate_load_ns(kFigureNodes)) / run.plateau_ns;
    if (plateau < kPlateaus && frame.at_ns >= plateau_ns(run, plateau) + settle_ns)
      bytes[plateau][log.lives[frame.life].node] += frame.bytes;
  }
  const double seconds = static_cast<double>(run.plateau_ns - settle_ns) / 1e9;
  for (size_t plateau = 0; plateau < kPlateaus; ++plateau) {
    const FigureRates optimum = figure_optimum(plateau);
    for (size_t node = 0; node < kFigureNodes; ++node) {
      figures.parts[plateau][node] =
          static_cast<double>(bytes[plateau][node]) * 8 / seconds / (optimum[node] * room_of(run));
    }
  }
}

void read_queues(const FigureRun& run, const Log& log, FigureFigures& figures) {
  for (size_t receiver = 0; receiver < kFigureNodes; ++receiver) {
    ServedQueue queue(run.capacity_bps);
    for (const OnWire& frame : log.wire) {
      if (log.lives[frame.life].node == receiver || frame.at_ns < rate_view_ns(kFigureNodes))
        continue;
      const uint64_t waiting = queue.offer(frame.at_ns, frame.bytes);
      figures.most_waiting_bytes = std::max(figures.most_waiting_bytes, waiting);
      figures.dropped += waiting > run.buffer_bytes ? 1 : 0;
    }
  }
}

}  // namespace

FigureFigures measure_figure(const FigureRun& run, const EndpointFactory& factory) {
  Simulation simulation(scenario_of(run), run.seed, factory);
  FigureFigures figures;
  simulation.at_end = [&](size_t, const SimEndpoint& endpoint) {
    figures.repairs += endpoint.node().sender().counters().repairs;
  };
  const Log log = simulation.run().log;
  figures.one_view = is_one_view(log, kFigureNodes);
  read_parts(run, log, figures);
  read_queues(run, log, figures);
  for (size_t plateau = 1; plateau < kPlateaus; ++plateau) {
    for (size_t node = 0; node < kFigureNodes; ++node) {
      if (figure_needs(plateau)[node] <= figure_needs(plateau - 1)[node]) continue;
      const uint64_t at_ns = plateau_ns(run, plateau);
      const double bps = 0.99 * figure_optimum(plateau)[node] * room_of(run);
      figures.raise_ns.push_back(granted_at(log, node, at_ns, static_cast<uint64_t>(bps)) - at_ns);
    }
  }
  return figures;
}

}  // namespace lambdacast::sim
