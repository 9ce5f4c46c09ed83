// SPDX-License-Identifier: BSD-3-Clause
#include "fairness.h"

#include <algorithm>
#include <numeric>

#include "../harness/option_groups.h"
#include "rate_control/max_min.h"

namespace lambdacast::bench {
namespace {

using T = FairnessReport;
using Opt = FairnessOptions;
using R = const T&;
using O = const Opt&;

constexpr Figure<T, Opt> kFigures[] = {
    {"nodes", "nodes", "", [](R, O) -> Json { return kFairNodes; }, kBeside},
    {"payload_bytes", "bytes of the application", "", of<&Opt::payload_bytes>, kBeside},
    {"rx_rate_bps", "bit/s", "each receives", [](R, O o) -> Json { return o.rack.rx_rate_bps; },
     kBeside},
    {"room_bps", "bit/s", "and shares out", of<&T::room_bps>, kBeside},
    {"optimum_ratio", "", "of what each should send in each phase, the least:",
     [](R r, O) -> Json { return r.least_part(); }},
    {"most_ratio", "", "and the most", [](R r, O) -> Json { return r.most_part(); }, kBeside},
    {"jain_index", "", "Jain's index, the least:", [](R r, O) -> Json { return r.least_jain(); }},
    {"increase_us", "us", "a higher need is granted after", of<&T::increase_us>},
    {"rtt_us", "us", "round trips of", of<&T::rtt_us>, kBeside},
    {"increase_rtts", "of them", "which are",
     [](R r, O) -> Json { return r.rtt_us > 0 ? r.increase_us / r.rtt_us : 0; }, kBeside},
    {"dropped", "frames", "dropped in front of receivers:", of<&T::dropped>},
    {"repairs", "repairs", "", of<&T::repairs>, kBeside},
    {"lost", "declared lost", "", of<&T::lost>, kBeside},
    {"phases", "", "",
     [](R r, O o) -> Json {
       Json phases = Json::array();
       for (uint32_t phase = 0; phase < kFairPhases; ++phase) {
         phases.push_back({{"needs", needs_of(phase, o.flood)},
                           {"optimum", optimum_of(phase, o.flood)},
                           {"achieved_bps", r.achieved_bps[phase]}});
       }
       return phases;
     },
     kNever},
    {"sound", "", "verdict: nothing lost|verdict: NOT SOUND",
     [](R r, O) -> Json { return r.sound(); }},
};

}  // namespace

FairRates needs_of(uint32_t phase, bool flood) {
  FairRates needs;
  needs.fill(1.0 / 3);
  if (phase >= 1) needs[0] = 0.1;
  if (phase >= 2) needs[1] = 0.1;
  if (phase >= 3) needs[2] = 0.8;
  if (phase >= 4) {
    needs[0] = 0.5;
    needs[2] = 0.2;
  }
  if (flood) needs[kFloodNode] = 1;
  return needs;
}

FairRates optimum_of(uint32_t phase, bool flood) {
  constexpr double kOne = 1e12;  // bits/s that stand for what a receiver takes
  const FairRates needs = needs_of(phase, flood);
  std::array<uint64_t, kFairNodes> cap;
  std::array<uint64_t, kFairNodes> room;
  std::array<base::NodeSet, kFairNodes> hears;
  for (uint32_t node = 0; node < kFairNodes; ++node) {
    cap[node] = static_cast<uint64_t>(needs[node] * kOne);
    room[node] = static_cast<uint64_t>(kOne);
    hears[node] = base::NodeSet::first(kFairNodes);
    hears[node].remove(node);
  }
  std::array<rate_control::FilledShare, kFairNodes> shares;
  rate_control::fill({cap, room, hears}, shares);
  FairRates optimum;
  for (uint32_t node = 0; node < kFairNodes; ++node)
    optimum[node] = static_cast<double>(shares[node].bps) / kOne;
  return optimum;
}

double jain_index(const FairRates& parts) {
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  const double squares = std::inner_product(parts.begin(), parts.end(), parts.begin(), 0.0);
  return squares > 0 ? sum * sum / (parts.size() * squares) : 0;
}

FairRates FairnessReport::parts_of(uint32_t phase) const {
  const FairRates optimum = optimum_of(phase, flood);
  FairRates parts;
  for (uint32_t node = 0; node < kFairNodes; ++node)
    parts[node] = achieved_bps[phase][node] / (optimum[node] * room_bps);
  return parts;
}

double FairnessReport::least_part() const {
  double least = 1e9;
  for (uint32_t phase = 0; phase < kFairPhases; ++phase) {
    const FairRates parts = parts_of(phase);
    least = std::min(least, *std::min_element(parts.begin(), parts.end()));
  }
  return least;
}

double FairnessReport::most_part() const {
  double most = 0;
  for (uint32_t phase = 0; phase < kFairPhases; ++phase) {
    const FairRates parts = parts_of(phase);
    most = std::max(most, *std::max_element(parts.begin(), parts.end()));
  }
  return most;
}

double FairnessReport::least_jain() const {
  double least = 1;
  for (uint32_t phase = 0; phase < kFairPhases; ++phase)
    least = std::min(least, jain_index(parts_of(phase)));
  return least;
}

Readings readings_of(R report, O options) { return read("fairness", kFigures, report, options); }

app::Plot plot_of(R report, O options) {
  app::Plot plot{"Four members of a view whose needs change", "s", "Mbit/s on the wire", false, {}};
  const double phase_s = kFairPhaseSeconds * options.scale;
  for (uint32_t node = 0; node < kFairNodes; ++node) {
    app::Curve sent{"node " + std::to_string(node), {}};
    for (const auto& sample : report.samples) {
      sent.points.emplace_back(sample[0], sample[node + 1] / 1e6);
    }
    app::Curve best{"node " + std::to_string(node) + ", optimum", {}};
    for (uint32_t phase = 0; phase < kFairPhases; ++phase) {
      const double mbps = optimum_of(phase, options.flood)[node] * report.room_bps / 1e6;
      best.points.emplace_back(phase * phase_s, mbps);
      best.points.emplace_back((phase + 1) * phase_s, mbps);
    }
    plot.curves.push_back(std::move(sent));
    plot.curves.push_back(std::move(best));
  }
  return plot;
}

void add_options(CLI::App& command, Opt& o) {
  add_payload(command, o.payload_bytes, 64);
  number(command, "--scale", o.scale, 0.01, 10.0, "of the times of FastCast's Figure 5");
  command.add_option("--rx-rate", o.rack.rx_rate_bps, "bits a second that each node can receive")
      ->check(CLI::Range(uint64_t{10'000'000}, uint64_t{100'000'000'000}))
      ->capture_default_str();
  number(command, "--burst-us", o.rack.rates.burst_us, 1u, 10'000u,
         "of its share, what a node sends at once");
  command.add_flag("--measured,!--told", o.measured_needs,
                   "the endpoints find out what they need, or are told");
  command.add_flag("--flood", o.flood,
                   "the last node needs all that a receiver takes, of unreliable messages");
  number(command, "--ack-us", o.rack.ack_us, 1u, 1'000'000u,
         "least time between two acknowledgements of a node");
  add_window(command, o.rack.window);
  add_in_flight(command, o.rack.in_flight, "packets ahead of the slowest receiver");
  add_suspicion(command, o.rack.suspect_after_us, 8'000);
  add_lcores(command, o.rack.fabric.lcores);
  add_slots(command, o.rack.fabric.slots);
  command
      .add_option("--plot", o.output.plot,
                  "draw an SVG: what each node sends over time, beside its optimum")
      ->type_name("FILE");
  add_json(command, o.output);
}

std::string check(O o) {
  if ((o.rack.window & (o.rack.window - 1)) != 0) return "--window has to be a power of two";
  return {};
}

Planned rack_of(O options) {
  ViewPlan plan = options.rack;
  if (!options.measured_needs) plan.rates.need_bps = plan.rx_rate_bps / 3;
  return rack_of(plan);
}

}  // namespace lambdacast::bench
