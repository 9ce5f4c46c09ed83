// SPDX-License-Identifier: BSD-3-Clause
#include "failover.h"

#include <algorithm>
#include <cmath>

#include "../harness/option_groups.h"
#include "order.h"

namespace lambdacast::bench {
namespace {

using T = FailoverReport;
using Opt = FailoverOptions;
using R = const T&;
using O = const Opt&;

constexpr Figure<T, Opt> kFigures[] = {
    {"nodes", "nodes", "", [](R, O o) -> Json { return o.rack.fabric.nodes; }, kBeside},
    {"stop", "", "stopped", [](R, O o) -> Json { return name(o.victims); }, kBeside},
    {"order", "", "ordered by", [](R, O o) -> Json { return config::name(o.rack.order); }, kBeside},
    {"kill", "", "by kill -9, each a process|as if their hosts had died", of<&Opt::kill>, kBeside},
    {"suspect_after_us", "us", "suspected after",
     [](R, O o) -> Json { return o.rack.suspect_after_us; }, kBeside},
    {"heartbeat_us", "us", "a heartbeat each", [](R, O o) -> Json { return o.rack.heartbeat_us; },
     kBeside},
    {"rate", "messages/s", "", of<&Opt::rate>, kBeside},
    {"payload_bytes", "bytes of the application", "", of<&Opt::payload_bytes>, kBeside},
    {"runs", "", "runs", of<&T::runs>},
    {"measured", "", "measured", of<&T::measured>, kBeside},
    {"min_ns", "ns", "to the first delivery in the new view at every survivor: least",
     [](R r, O) -> Json { return r.standstill_at(0); }},
    {"p50_ns", "ns", "median", [](R r, O) -> Json { return r.standstill_at(0.5); }, kBeside},
    {"p90_ns", "ns", "90 %", [](R r, O) -> Json { return r.standstill_at(0.9); }, kBeside},
    {"p99_ns", "ns", "99 %", [](R r, O) -> Json { return r.standstill_at(0.99); }, kBeside},
    {"max_ns", "ns", "longest", [](R r, O) -> Json { return r.standstill_at(1); }, kBeside},
    {"view_p50_ns", "ns", "to the view itself: median",
     [](R r, O) -> Json { return T::value_at(r.view_ns, 0.5); }},
    {"lock_p50_ns", "ns", "to the next holder of its lock: median",
     [](R r, O) -> Json { return T::value_at(r.lock_ns, 0.5); }, kNotZero},
    {"lock_max_ns", "ns", "longest", [](R r, O) -> Json { return T::value_at(r.lock_ns, 1); },
     kNotZero},
    {"untold_runs", "", "runs in which the fabric told nobody:",
     [](R r, O) -> Json { return r.untold_ns.size(); }, kNotZero},
    {"untold_p50_ns", "ns", "to the same delivery: median",
     [](R r, O) -> Json { return T::value_at(r.untold_ns, 0.5); }, kNotZero},
    {"suspect_plus_ns", "ns", "the median is the time of suspicion and", of<&T::suspect_plus_ns>},
    {"published", "published by survivors", "", of<&T::published>},
    {"missing", "deliveries missing", "", of<&T::missing>, kBeside},
    {"lost", "packets declared lost", "", of<&T::gaps>, kBeside},
    {"disturbed", "",
     "runs DISTURBED, a node that was not stopped was suspected (longer --suspect-us, or lcores "
     "that nobody else uses):",
     of<&T::disturbed>, kNotZero},
    {"stuck", "", "runs without a delivery in a new view:", of<&T::stuck>, kNotZero},
    {"different_orders", "",
     "runs in which SURVIVORS DELIVERED IN DIFFERENT ORDERS:", of<&T::different>, kNotZero},
    {"wrong", "messages", "WRONG CONTENT in", of<&T::wrong>, kNotZero},
    {"out_of_order", "messages", "OUT OF their sender's ORDER:", of<&T::out_of_order>, kNotZero},
    {"sound", "", "verdict: one order, every message|verdict: NOT SOUND", of<&T::sound>},
};

}  // namespace

const char* name(Victims victims) {
  switch (victims) {
    case Victims::kSequencer:
      return "sequencer";
    case Victims::kMember:
      return "member";
    case Victims::kTwo:
      return "two";
  }
  return "";
}

void add_options(CLI::App& command, Opt& o) {
  add_nodes(command, o.rack.fabric.nodes, 3, ", all members of a view");
  choice(command, "--stop", o.victims, {Victims::kSequencer, Victims::kMember, Victims::kTwo},
         "whose stages are polled no more: sequencer, member (another one), two (the sequencer "
         "and another one at once; with a ring two neighbours)");
  choice(
      command, "--order", o.rack.order, {ordering::Order::kSequencer, ordering::Order::kRing},
      "who says what comes next: sequencer, or ring, in which every member has the token in turn");
  command.add_flag("--lock", o.lock,
                   "whoever stops holds a lock that the others wait for: until the next has it");
  add_suspicion(command, o.rack.suspect_after_us, 100);
  number(command, "--heartbeat-us", o.rack.heartbeat_us, 10u, 1'000'000u,
         "between two signs of life of an idle node");
  number(command, "--runs", o.runs, 1u, 100'000u, "each with nodes of its own");
  number(command, "--rate", o.rate, uint64_t{10}, uint64_t{1'000'000},
         "totally resilient messages a second of each node");
  add_payload(command, o.payload_bytes, 24);
  command.add_flag("--kill", o.kill,
                   "each node is a process, and those who stop are killed (-9); in every other run "
                   "the fabric does not tell, and silence has to");
  choice(command, "--idle", o.idle,
         {config::IdlePolicy::kSpin, config::IdlePolicy::kPause, config::IdlePolicy::kSleep},
         "with --kill, what the lcores do without work: spin, pause or sleep");
  add_lcores(command, o.rack.fabric.lcores);
  add_json(command, o.output);
}

std::string check(O o) {
  if (o.victims == Victims::kSequencer && o.rack.order == ordering::Order::kRing)
    return "--stop sequencer: a ring has none; allowed: --stop member, and two";
  if (o.victims == Victims::kTwo && o.rack.fabric.nodes < 4)
    return "--stop two leaves no quorum of 3 nodes; allowed: --nodes 4 or more";
  if (o.rack.suspect_after_us < 4 * uint64_t{o.rack.heartbeat_us})
    return "--suspect-us " + std::to_string(o.rack.suspect_after_us) +
           " is too short for --heartbeat-us " + std::to_string(o.rack.heartbeat_us) +
           "; allowed: at least four times as long";
  return {};
}

uint32_t sequencer_of(O o) { return sequencer_of(kOrderGroup, o.rack); }

std::vector<uint32_t> victims_of(O o) {
  std::vector<uint32_t> victims;
  const uint32_t sequencer = sequencer_of(o);
  if (o.victims != Victims::kMember) victims.push_back(sequencer);
  if (o.victims != Victims::kSequencer) victims.push_back((sequencer + 1) % o.rack.fabric.nodes);
  return victims;
}

Planned rack_of(O o) {
  ViewPlan plan = o.rack;
  plan.tie_breaker = (sequencer_of(o) + plan.fabric.nodes - 1) % plan.fabric.nodes;
  return rack_of(plan);
}

uint64_t FailoverReport::value_at(std::vector<uint64_t> samples, double share) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const auto place = static_cast<size_t>(std::ceil(share * static_cast<double>(samples.size())));
  return samples[std::max<size_t>(place, 1) - 1];
}

Readings readings_of(R report, O options) { return read("failover", kFigures, report, options); }

}  // namespace lambdacast::bench
