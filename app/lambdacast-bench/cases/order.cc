// SPDX-License-Identifier: BSD-3-Clause
#include "order.h"

#include <numeric>

#include "../harness/option_groups.h"
#include "ordering/total_order.h"

namespace lambdacast::bench {
namespace {

using wire::Qos;
using T = OrderReport;
using Opt = OrderOptions;
using R = const T&;
using O = const Opt&;

// Below that many of a thousand.
template <int permille>
Json latency(R r, O) {
  return r.latency_ns.value_at(permille / 1000.0);
}

constexpr Figure<T, Opt> kFigures[] = {
    {"nodes", "nodes", "", [](R, O o) -> Json { return o.rack.fabric.nodes; }, kBeside},
    {"level", "", "level", [](R, O o) -> Json { return config::name(o.level); }, kBeside},
    {"order", "", "ordered by", [](R, O o) -> Json { return config::name(o.rack.order); }, kBeside},
    {"payload_bytes", "bytes of the application", "", of<&Opt::payload_bytes>, kBeside},
    {"one_sender", "", "one sends|all send", of<&Opt::one_sender>, kBeside},
    {"coalesce", "", "packets shared|a packet each", of<&Opt::coalesce>, kBeside},
    {"groups", "groups", "", [](R, O o) -> Json { return o.rack.groups; }, kBeside},
    {"rate", "", "", of<&Opt::rate>, kNever},
    {"rx_rate_bps", "", "", [](R, O o) -> Json { return o.rack.rx_rate_bps; }, kNever},
    {"policy", "", "", [](R, O o) -> Json { return config::name(o.rack.rates.policy); }, kNever},
    {"limit_bps", "", "", [](R, O o) -> Json { return o.rack.rates.limit_bps; }, kNever},
    {"messages_per_second_per_node", "messages/s",
     "delivered at each node, its own included:", [](R r, O o) -> Json { return r.per_node(o); }},
    {"goodput_bps_per_node", "bit/s", "goodput",
     [](R r, O o) -> Json { return r.per_node(o) * 8 * o.payload_bytes; }, kBeside},
    {"elapsed_s", "s", "in", of<&T::elapsed_s>, kBeside},
    {"capacity_messages_per_second", "messages/s", "a node can receive", of<&T::capacity_mps>,
     kNotZero},
    {"optimum_messages_per_second", "messages/s", "optimum",
     [](R r, O o) -> Json { return r.optimum(o); }, kBeside},
    {"reached", "", "reached",
     [](R r, O o) -> Json { return r.capacity_mps > 0 ? r.per_node(o) / r.optimum(o) : 0; },
     kBeside},
    {"p50_ns", "ns", "latency at a third member: median", latency<500>},
    {"p99_ns", "ns", "99 %", latency<990>, kBeside},
    {"p999_ns", "ns", "99.9 %", latency<999>, kBeside},
    {"max_ns", "ns", "longest", [](R r, O) -> Json { return r.latency_ns.max(); }, kBeside},
    {"spread_p50_ns", "ns", "between a message's first receiver and its last: median",
     [](R r, O) -> Json { return r.spread_ns.value_at(0.5); }},
    {"spread_p99_ns", "ns", "99 %", [](R r, O) -> Json { return r.spread_ns.value_at(0.99); },
     kBeside},
    {"pause_ms", "ms", "a member stopped for", of<&Opt::pause_ms>, kNotZero},
    {"silence_ns", "ns", "the others waited for an ordered message at most", of<&T::silence_ns>,
     kNotZero},
    {"duty", "of its time", "busiest lcore", of<&T::duty>},
    {"marks", "packets of marks or passes", "", of<&T::marks>, kBeside},
    {"control_frames", "control frames", "", of<&T::control_frames>, kBeside},
    {"announcements", "", "", of<&T::announcements>, kNever},
    {"control_in_time", "", "control that can wait, gone within two data bursts:",
     [](R r, O) -> Json { return r.in_time() < 0 ? Json() : Json(r.in_time()); }, kBeside},
    {"control_waits", "", "", of<&T::waits>, kNever},
    {"drop", "", "", [](R, O o) -> Json { return o.rack.drop; }, kNever},
    {"repairs", "repairs", "", of<&T::repairs>, kBeside},
    {"dropped", "frames dropped in front of receivers", "", of<&T::dropped>, kBeside},
    {"published", "published", "", of<&T::total_published>},
    {"expected", "deliveries expected", "", of<&T::total_expected>, kBeside},
    {"delivered", "delivered", "", of<&T::total_delivered>, kBeside},
    {"lost", "declared lost", "", of<&T::lost>, kBeside},
    {"views", "", "views begun, one a node is right:", of<&T::views>},
    {"wrong", "messages", "WRONG CONTENT in", of<&T::wrong>, kNotZero},
    {"out_of_order", "messages", "OUT OF their sender's ORDER:", of<&T::out_of_order>, kNotZero},
    {"same_order", "", "the same order at every node|NODES DELIVERED IN DIFFERENT ORDERS",
     of<&T::same_order>},
    {"sound", "", "verdict: one order, every message|verdict: NOT SOUND",
     [](R r, O o) -> Json { return r.sound(o); }},
};

}  // namespace

bool OrderReport::sound(O options) const {
  if (wrong != 0 || out_of_order != 0 || !same_order || views != options.rack.fabric.nodes)
    return false;
  return options.level == Qos::kUnreliable || (lost == 0 && total_delivered == total_expected);
}

double OrderReport::in_time() const {
  const uint64_t all = std::accumulate(waits.begin(), waits.end(), uint64_t{0});
  return all == 0 ? -1 : 1 - static_cast<double>(waits.back()) / static_cast<double>(all);
}

Readings readings_of(R report, O options) { return read("order", kFigures, report, options); }

void add_options(CLI::App& command, Opt& o) {
  ViewPlan& rack = o.rack;
  add_nodes(command, rack.fabric.nodes, 2, ", all members of a view");
  choice(command, "--level", o.level,
         {Qos::kUnreliable, Qos::kReliable, Qos::kSourceOrdered, Qos::kTotallyOrdered,
          Qos::kKResilient, Qos::kMajority, Qos::kTotallyResilient},
         "of service: unreliable, reliable, source, total, k, majority, resilient (all)");
  choice(command, "--order", rack.order,
         {ordering::Order::kSequencer, ordering::Order::kRing, ordering::Order::kMixed},
         "who says what comes next: sequencer, ring, or mixed, half of the domains each");
  add_payload(command, o.payload_bytes, sizeof(OrderStamp));
  add_seconds(command, o.seconds, 0.01, "to measure");
  add_warm_up(command, o.warm_up, "seconds before, not measured");
  command.add_flag("--one-sender,!--all-send", o.one_sender,
                   "only one sends, not the sequencer; or all do");
  command.add_flag("--coalesce", o.coalesce, "messages may share packets");
  number(command, "--groups", rack.groups, 1u, 65536u,
         "published to in turn; every node has joined all");
  add_rate(command, o.rate, "each sender");
  command
      .add_option("--rx-rate", rack.rx_rate_bps,
                  "bits a second that each node can receive: the bottleneck. What unreliable "
                  "messages make of it is measured first")
      ->capture_default_str();
  number(command, "--drop", rack.drop, 0.0, 0.9, "of frames, the part that each receiver loses");
  add_rate_plan(command, rack.rates);
  add_window(command, rack.window);
  add_in_flight(command, rack.in_flight, "packets ahead of the slowest receiver");
  number(command, "--ack-us", rack.ack_us, 1u, 1'000'000u,
         "least time between two acknowledgements of a node");
  number(command, "--k", rack.k, 1u, 63u, "with --level k: more than so many hold a message");
  add_suspicion(command, rack.suspect_after_us, 4'000);
  number(command, "--pause-ms", o.pause_ms, 0u, 1'000u,
         "behind what is measured, while messages go on, a member that neither sends alone nor is "
         "the sequencer stops for so long: how long do the others wait for an ordered message?");
  add_lcores(command, rack.fabric.lcores);
  add_slots(command, rack.fabric.slots);
  add_json(command, o.output);
}

std::string check(O o) {
  if ((o.rack.window & (o.rack.window - 1)) != 0) return "--window has to be a power of two";
  if (o.pause_ms != 0 && o.rack.fabric.nodes < 3)
    return "--pause-ms: with two nodes one sends, and the other one orders; allowed: --nodes 3 or "
           "more";
  if (o.pause_ms != 0 && o.level < Qos::kTotallyOrdered)
    return "--pause-ms is for levels that are ordered; allowed: --level total or above";
  if (uint64_t{o.pause_ms} * 2'000 > o.rack.suspect_after_us)
    return "--pause-ms " + std::to_string(o.pause_ms) +
           " comes near --suspect-us; allowed: half of it";
  if (o.rack.rx_rate_bps != 0 && o.one_sender) return "--rx-rate is for all senders";
  return check(o.rack.rates);
}

uint32_t sequencer_of(uint32_t group, const ViewPlan& rack) {
  return static_cast<uint32_t>(
      ordering::sequencer_of(ordering::domain_of(group, rack.order_domains), rack.fabric.nodes));
}

}  // namespace lambdacast::bench
