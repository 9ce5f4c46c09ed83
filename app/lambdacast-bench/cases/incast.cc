// SPDX-License-Identifier: BSD-3-Clause
#include "incast.h"

#include <algorithm>

#include "../../choice.h"
#include "../harness/option_groups.h"

namespace lambdacast::bench {
namespace {

using T = IncastReport;
using S = IncastRow;
using Opt = IncastOptions;
using R = const T&;
using O = const Opt&;

constexpr Figure<T, Opt> kRun[] = {
    {"nodes", "nodes", "", [](R, O o) -> Json { return o.rack.fabric.nodes; }, kBeside},
    {"payload_bytes", "bytes of the application", "", of<&Opt::payload_bytes>, kBeside},
    {"rx_rate_bps", "bit/s", "one receives", [](R, O o) -> Json { return o.rack.rx_rate_bps; },
     kBeside},
    {"times", "times that", "the others send", of<&Opt::times>, kBeside},
};

Json lost_by_node(const S& row, O o) {
  Json list = Json::array();
  for (uint32_t node = 0; node < o.rack.fabric.nodes; ++node)
    list.push_back(row.lost_ratio(node, o));
  return list;
}

constexpr Figure<S, Opt> kRow[] = {
    {"policy", "", "policy", [](const S& row, O) -> Json { return config::name(row.policy); }},
    {"qos", "", "qos", [](const S&, O o) -> Json { return config::name(o.qos); }, kBeside},
    {"sum_ratio", "", "sent, of the slow node's room", of<&S::sum_ratio>, kBeside},
    {"lost_ratio", "", "lost there", of<&S::slow_lost_ratio>, kBeside},
    {"goodput_bps", "bit/s", "its goodput", of<&S::goodput_bps>, kBeside},
    {"lost_elsewhere_ratio", "", "lost at any other", of<&S::most_lost_elsewhere>, kBeside},
    {"dropped", "frames dropped", "", of<&S::dropped>, kBeside},
    {"repairs", "repairs", "", of<&S::repairs>, kBeside},
    {"lost_ratio_by_node", "", "", lost_by_node, kNever},
    {"published", "", "", of<&S::total_published>, kNever},
    {"declared_lost", "", "", of<&S::declared_lost>, kNever},
};

Json rows(R r, O o) {
  Json list = Json::array();
  for (const S& row : r.rows) {
    Readings readings;
    read(readings, kRow, row, o);
    list.push_back(object_of(readings));
  }
  return list;
}

constexpr Figure<T, Opt> kVerdict[] = {
    {"sound", "", "verdict: every message counted|verdict: NOT SOUND",
     [](R r, O o) -> Json { return r.sound(o); }},
    {"rows", "", "", rows, kNever},
};

// It reacts to losses, in any group of receivers.
bool needs_no_view(rate_control::Policy policy) { return policy == rate_control::Policy::kWindow; }

}  // namespace

void add_options(CLI::App& command, Opt& o) {
  ViewPlan& rack = o.rack;
  add_nodes(command, rack.fabric.nodes, 3, "; all but the first send");
  const auto known = policies();
  command
      .add_option_function<std::vector<std::string>>(
          "--policy",
          [&o, known](const std::vector<std::string>& words) {
            o.policies.clear();
            for (const std::string& word : words) o.policies.push_back(known.at(word));
          },
          "of each node's rate, as rate.policy of a configuration; several: one row each")
      ->delimiter(',')
      ->check(CLI::IsMember(known))
      ->type_name("NAME")
      ->default_str("none,fair");
  choice(command, "--qos", o.qos,
         {wire::Qos::kUnreliable, wire::Qos::kReliable, wire::Qos::kSourceOrdered},
         "unreliable; reliable: exactly once; source: and in the sender's order");
  command.add_option("--rx-rate", rack.rx_rate_bps, "bits a second that the first node receives")
      ->check(CLI::Range(uint64_t{10'000'000}, uint64_t{100'000'000'000}))
      ->capture_default_str();
  number(command, "--times", o.times, 0.1, 100.0, "of that, what the others send together");
  add_payload(command, o.payload_bytes, 64);
  add_seconds(command, o.seconds, 0.01, "to measure, under each policy");
  add_warm_up(command, o.warm_up, "seconds before, not measured");
  add_rate_limits(command, rack.rates);
  number(command, "--ack-us", rack.ack_us, 1u, 1'000'000u,
         "least time between two acknowledgements of a node");
  add_window(command, rack.window);
  add_in_flight(command, rack.in_flight, "packets ahead of the slowest receiver");
  add_suspicion(command, rack.suspect_after_us, 8'000);
  add_lcores(command, rack.fabric.lcores);
  add_slots(command, rack.fabric.slots);
  add_json(command, o.output);
}

std::string check(O o) {
  if ((o.rack.window & (o.rack.window - 1)) != 0) return "--window has to be a power of two";
  for (const rate_control::Policy policy : o.policies) {
    RatePlan plan = o.rack.rates;
    plan.policy = policy;
    if (std::string wrong = check(plan); !wrong.empty()) return wrong;
  }
  return {};
}

Planned rack_of(O options, rate_control::Policy policy) {
  ViewPlan plan = options.rack;
  plan.rates.policy = policy;
  Planned config = rack_of(plan);
  if (!config) return config;
  for (uint32_t node = 0; node < plan.fabric.nodes; ++node) {
    config::Endpoint& endpoint = config->endpoints[node];
    if (node != kSlowNode) endpoint.faults.rx_rate_bps = 0;
    if (needs_no_view(policy)) endpoint.membership.enabled = false;
  }
  return finish(std::move(*config), "the benchmark's rack");
}

uint64_t rate_of(O options, uint64_t wire_bytes) {
  const double bps = options.times * static_cast<double>(options.rack.rx_rate_bps);
  return static_cast<uint64_t>(bps / 8 / static_cast<double>(wire_bytes) / options.senders());
}

double IncastRow::sum_ratio(O options) const {
  const rate_control::RateConfig slow{.capacity_bps = options.rack.rx_rate_bps};
  const double bps = per_second(sent_wire_bytes * 8, elapsed_s);
  return bps / static_cast<double>(rate_control::room_bps(slow));
}

double IncastRow::lost_ratio(uint32_t node, O) const {
  if (expected(node) == 0) return 0;
  return 1 - static_cast<double>(by_node[node]) / static_cast<double>(expected(node));
}

double IncastRow::most_lost_elsewhere(O options) const {
  double most = 0;
  for (uint32_t node = 0; node < options.rack.fabric.nodes; ++node) {
    if (node != kSlowNode) most = std::max(most, lost_ratio(node, options));
  }
  return most;
}

double IncastRow::goodput_bps(O options) const {
  return per_second(slow_delivered * 8 * options.payload_bytes, elapsed_s);
}

bool IncastRow::sound(O options) const {
  for (uint32_t node = 0; node < options.rack.fabric.nodes; ++node) {
    if (by_node[node] > expected(node)) return false;
    if (options.qos != wire::Qos::kUnreliable && by_node[node] != expected(node)) return false;
  }
  return total_published != 0 && declared_lost == 0;
}

bool IncastReport::sound(O options) const {
  return rows.size() == options.policies.size() &&
         std::all_of(rows.begin(), rows.end(), [&](const S& row) { return row.sound(options); });
}

// In JSON the last row's keys stay: each has the same.
Readings readings_of(R r, O options) {
  Readings readings = read("incast", kRun, r, options);
  for (const S& row : r.rows) read(readings, kRow, row, options);
  read(readings, kVerdict, r, options);
  return readings;
}

}  // namespace lambdacast::bench
