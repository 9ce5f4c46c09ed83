// SPDX-License-Identifier: BSD-3-Clause
#include "loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../harness/option_groups.h"

namespace lambdacast::bench {
namespace {

using T = LossReport;
using Opt = LossOptions;
using R = const T&;
using O = const Opt&;

double goodput_bps(R r, O o) {
  return per_second(r.delivered() * o.application_bytes() * 8, r.elapsed_s);
}

Json by_reason(R r, O) {
  Json json = Json::object();
  for (const rack::ReceiverAccount& receiver : r.receivers) {
    for (const auto& [reason, count] : receiver.losses)
      json[reason] = json.value(reason, uint64_t{0}) + count;
  }
  return json;
}

Json by_place(R r, O) {
  Json receivers = Json::object();
  Json transmitters = Json::object();
  for (size_t i = 0; i < r.receivers.size(); ++i) {
    for (const auto& [reason, count] : r.receivers[i].losses) {
      if (reason != "transmitter") receivers[r.names[i]][reason] = count;
    }
    if (r.transmitters[i].lost() != 0) transmitters[r.names[i]] = r.transmitters[i].lost();
  }
  return {{"transmitter", transmitters}, {"receiver", receivers}};
}

// Receivers whose account does not come out, with a sentence each.
Json not_balanced(R r, O) {
  Json json = Json::object();
  for (size_t i = 0; i < r.receivers.size(); ++i) {
    const rack::ReceiverAccount& a = r.receivers[i];
    if (!a.balanced()) {
      json[r.names[i]] =
          fmt::format("{} expected + {} copies != {} delivered + {} duplicates + {} lost",
                      a.expected, a.copies, a.delivered, a.duplicates, a.lost());
    } else if (!r.losses_agree(i)) {
      json[r.names[i]] = fmt::format("sequences miss {}, counters lost {}", r.missing[i], a.lost());
    }
  }
  return json;
}

// Of a member of the report on recoverable messages.
template <auto member>
Json recoverable(R r, O) {
  return r.recoverable.*member;
}
using V = RecoverableReport;

constexpr Figure<T, Opt> kRun[] = {
    {"nodes", "nodes", "", [](R r, O) -> Json { return r.receivers.size(); }, kBeside},
    {"payload_bytes", "bytes of RoCE payload", "", of<&Opt::payload_bytes>, kBeside},
    {"application_bytes", "of the application", "", of<&Opt::application_bytes>, kBeside},
    {"qos", "", "qos", [](R, O o) -> Json { return o.qos.text(); }, kBeside},
    {"pace", "", "pace", [](R, O o) -> Json { return o.pace.text(); }, kBeside},
    {"sent", "packets", "sent", of<&T::sent>},
    {"receivers_per_packet", "receivers", "to",
     [](R r, O) -> Json { return r.receivers.size() - 1; }, kBeside},
    {"delivered", "", "delivered", of<&T::delivered>},
    {"lost", "", "lost", of<&T::lost>, kBeside},
    {"control_lost", "", "and of control", of<&T::control_lost>, kBeside},
    {"duplicates", "", "duplicates", of<&T::duplicates>, kBeside},
    {"corrupted", "", "corrupted", of<&T::corrupted>, kBeside},
    {"psn_wraps", "", "PSN wraps", of<&T::psn_wraps_sent>, kBeside},
    {"psn_wraps_seen_by_receivers", "", "", of<&T::psn_wraps_seen>, kNever},
    {"psn_mismatches", "", "PSN mismatches", of<&T::psn_mismatches>, kNotZero},
    {"loss_ratio", "", "loss ratio", of<&T::loss_ratio>},
    {"loss_ratio_upper95", "", "with 95 % confidence below", of<&T::loss_ratio_upper95>, kBeside},
    {"packets_per_second", "packets/s", "sent",
     [](R r, O) -> Json { return per_second(r.sent(), r.elapsed_s); }},
    {"delivered_per_second", "packets/s", "delivered",
     [](R r, O) -> Json { return per_second(r.delivered(), r.elapsed_s); }, kBeside},
    {"goodput_bps", "bit/s", "goodput", [](R r, O o) -> Json { return goodput_bps(r, o); },
     kBeside},
    {"elapsed_s", "s", "in", of<&T::elapsed_s>, kBeside},
    {"messages_per_second", "messages/s", "published",
     [](R r, O) -> Json { return per_second(r.published, r.elapsed_s); }, kBeside},
};

constexpr Figure<T, Opt> kRecoverable[] = {
    {"messages_published", "messages", "published", of<&T::published>},
    {"messages_delivered", "", "delivered", recoverable<&V::delivered>, kBeside},
    {"messages_twice", "", "twice", recoverable<&V::twice>, kBeside},
    {"messages_out_of_order", "", "out of order", recoverable<&V::out_of_order>, kBeside},
    {"messages_declared_lost", "", "declared lost", recoverable<&V::declared_lost>, kBeside},
    {"first_losses", "packets", "missed at first", recoverable<&V::first_losses>},
    {"repaired", "", "repaired", recoverable<&V::repaired>, kBeside},
    {"nacks", "NACKs", "", recoverable<&V::nacks>, kBeside},
    {"repairs", "repairs sent", "", recoverable<&V::repairs>, kBeside},
    {"held_off", "held off", "", recoverable<&V::held_off>, kBeside},
    {"repairs_twice", "came twice", "", recoverable<&V::duplicates>, kBeside},
    {"statuses", "statuses", "", recoverable<&V::statuses>},
    {"heartbeats", "heartbeats", "", recoverable<&V::heartbeats>, kBeside},
    {"window_closed_polls", "polls", "the window was closed in", recoverable<&V::window_closed>,
     kBeside},
};

constexpr Figure<T, Opt> kVerdict[] = {
    {"lost_by_reason", "", "", by_reason, kNever},
    {"lost_by_place", "packets", "lost at", by_place, kNotZero},
    {"not_balanced", "", "NOT BALANCED at", not_balanced, kNotZero},
    {"wrong_content", "messages", "WRONG CONTENT in", of<&T::wrong_content>, kNotZero},
    {"window_timeouts", "", "window timeouts", of<&T::window_timeouts>, kNotZero},
    {"identity_holds", "", "identity holds|identity DOES NOT HOLD", of<&T::identity_holds>},
};

uint64_t repair_ns(R r, double quantile) { return r.recoverable.repair_ns.value_at(quantile); }
uint64_t rtt_ns(R r, double quantile) { return r.recoverable.round_trips_ns.value_at(quantile); }

double in_round_trips(R r, double quantile) {
  const uint64_t rtt = rtt_ns(r, 0.5);
  return rtt == 0 ? 0 : static_cast<double>(repair_ns(r, quantile)) / static_cast<double>(rtt);
}

constexpr Figure<T, Opt> kRepairTimes[] = {
    {"repair_p50_ns", "ns", "repair times: median",
     [](R r, O) -> Json { return repair_ns(r, 0.5); }},
    {"repair_p99_ns", "ns", "99 %", [](R r, O) -> Json { return repair_ns(r, 0.99); }, kBeside},
    {"repair_max_ns", "ns", "most", [](R r, O) -> Json { return repair_ns(r, 1); }, kBeside},
    {"rtt_p50_ns", "ns", "round trip: median", [](R r, O) -> Json { return rtt_ns(r, 0.5); },
     kBeside},
};

constexpr Figure<T, Opt> kRepair[] = {
    {"nodes", "nodes", "", [](R r, O) -> Json { return r.receivers.size(); }, kBeside},
    {"payload_bytes", "bytes of RoCE payload", "", of<&Opt::payload_bytes>, kBeside},
    {"drop", "at each receiver lost", "", [](R, O o) -> Json { return o.qos.drop; }, kBeside},
    {"qos", "", "qos", [](R, O o) -> Json { return o.qos.text(); }, kBeside},
    {"pace", "", "pace", [](R, O o) -> Json { return o.pace.text(); }, kBeside},
    {"rtt_p50_ns", "ns", "round trip: median", [](R r, O) -> Json { return rtt_ns(r, 0.5); }},
    {"rtt_p99_ns", "ns", "99 %", [](R r, O) -> Json { return rtt_ns(r, 0.99); }, kBeside},
    {"p50_ns", "ns", "repaired: 50 % within", [](R r, O) -> Json { return repair_ns(r, 0.5); }},
    {"p50_rtt", "round trips", "or", [](R r, O) -> Json { return in_round_trips(r, 0.5); },
     kBeside},
    {"p90_ns", "ns", "90 %", [](R r, O) -> Json { return repair_ns(r, 0.9); }, kBeside},
    {"p99_ns", "ns", "99 %", [](R r, O) -> Json { return repair_ns(r, 0.99); }, kBeside},
    {"p99_rtt", "round trips", "or", [](R r, O) -> Json { return in_round_trips(r, 0.99); },
     kBeside},
    {"p999_ns", "ns", "99.9 %", [](R r, O) -> Json { return repair_ns(r, 0.999); }, kBeside},
    {"max_ns", "ns", "all", [](R r, O) -> Json { return repair_ns(r, 1); }, kBeside},
};

constexpr Figure<T, Opt> kRepairVerdict[] = {
    {"all_delivered", "", "every message delivered|MESSAGES NOT DELIVERED", of<&T::all_delivered>},
};

}  // namespace

void add_options(CLI::App& command, LossOptions& o) {
  add_config(command, o.config_file,
             "endpoints and ports from a TOML file instead of --nodes on a fabric");
  add_nodes(command, o.fabric.nodes, 2, "");
  command.add_flag("--one-sender,!--all-send", o.one_sender, "only node 0 sends; or all do");
  command.add_option("--packets", o.packets, "to send, all senders together; 0: until --seconds")
      ->capture_default_str();
  add_seconds(command, o.seconds, 0, "to send for; 0: until --packets", 1e7);
  add_payload(command, o.payload_bytes, wire::kTransportHeaderBytes, wire::kMaxPayloadBytes,
              "bytes of the whole RoCE payload; the transport header takes 48 of them");
  number(command, "--psn-start", o.psn_start, uint64_t{0}, uint64_t{1} << 62,
         "first sequence; its low 24 bits are the first PSN");
  add_qos(command, o.qos);
  command.add_option("--drop-at", o.drop_at, "the node that loses; all of them without");
  command.add_option("--slow-at", o.slow_at,
                     "a node whose application takes no more than --slow-rate: an overloaded "
                     "receiver, for --pace none");
  number(command, "--slow-rate", o.slow_pps, uint64_t{1}, uint64_t{1} << 40,
         "messages a second it takes");
  add_lcores(command, o.fabric.lcores);
  add_slots(command, o.fabric.slots);
  add_pace(command, o.pace, "packets");
  add_json(command, o.output);
}

std::string check(O o) {
  if (o.packets == 0 && o.seconds == 0) return "--packets 0 needs --seconds";
  for (const auto& [option, node] :
       {std::pair{"--drop-at", o.drop_at}, std::pair{"--slow-at", o.slow_at}}) {
    if (node && o.config_file.empty() && *node >= o.fabric.nodes)
      return fmt::format("{} {} is not allowed; allowed: 0 to {}", option, *node,
                         o.fabric.nodes - 1);
  }
  return check_drop(o.qos, o.config_file);
}

Planned rack_of(O o) {
  if (!o.config_file.empty()) return load(o.config_file);
  config::Config config = draft_of(o.fabric);
  set_qos(config, o.qos);
  for (uint32_t node = 0; node < o.fabric.nodes; ++node) {
    // One group a sender: a delivery's group says who sent it.
    set_groups(config.endpoints[node], o.fabric.nodes);
    if (o.drop_at.value_or(node) == node) set_losses(config.endpoints[node], o.qos, node);
  }
  return finish(std::move(config));
}

RepairOptions::RepairOptions() {
  qos.qos = wire::Qos::kSourceOrdered;
  qos.drop = 0.001;
  packets = 1'000'000;
  one_sender = true;
  pace = {Pace::Kind::kRate, 500'000};
}

void add_options(CLI::App& command, RepairOptions& options) {
  LossOptions& as_loss = options;
  add_options(command, as_loss);
}

std::string check(const RepairOptions& options) {
  if (!options.qos.recoverable())
    return "--qos unreliable is not allowed; allowed: reliable or source";
  const LossOptions& as_loss = options;
  return check(as_loss);
}

Readings readings_of(R r, O o) {
  Readings readings = read("loss", kRun, r, o);
  Readings recoverable;
  read(recoverable, kRecoverable, r, o);
  read(recoverable, kRepairTimes, r, o);
  for (Reading& each : recoverable) {
    if (!o.qos.recoverable()) each.shown = kNever;
    readings.push_back(std::move(each));
  }
  read(readings, kVerdict, r, o);
  return readings;
}

Readings readings_of(R r, const RepairOptions& options) {
  const LossOptions& as_loss = options;
  Readings readings = read("repair", kRepair, r, as_loss);
  read(readings, kRecoverable, r, as_loss);
  read(readings, kRepairVerdict, r, as_loss);
  return readings;
}

}  // namespace lambdacast::bench
