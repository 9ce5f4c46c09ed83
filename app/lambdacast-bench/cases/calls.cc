// SPDX-License-Identifier: BSD-3-Clause
#include "calls.h"

#include <algorithm>

#include "../harness/option_groups.h"
#include "group/numbering.h"
#include "order.h"

namespace lambdacast::bench {
namespace {

using T = CallsReport;
using Opt = CallsOptions;
using R = const T&;
using O = const Opt&;

template <double (CallsRound::*ratio)() const>
Json middle(R report, O) {
  return report.of(ratio).middle;
}
template <double (CallsRound::*ratio)() const>
Json low(R report, O) {
  return report.of(ratio).low;
}
template <double (CallsRound::*ratio)() const>
Json high(R report, O) {
  return report.of(ratio).high;
}
Json rounds(R report, O) {
  Json list = Json::array();
  for (const CallsRound& each : report.rounds) {
    list.push_back({{"message_ns", each.message_ns},
                    {"hop_ns", each.hop_ns},
                    {"inside_ns", each.inside_ns},
                    {"outside_ns", each.outside_ns},
                    {"grant_ns", each.grant_ns},
                    {"messages_s", each.messages_s},
                    {"calls_s", each.calls_s},
                    {"paced_p99_ns", each.paced_p99_ns},
                    {"amid_p99_ns", each.amid_p99_ns},
                    {"long_ns", each.long_ns}});
  }
  return list;
}

constexpr Figure<T, Opt> kFigures[] = {
    {"nodes", "nodes", "", [](R, O o) -> Json { return o.rack.fabric.nodes; }, kBeside},
    {"order", "", "", [](R, O o) -> Json { return config::name(o.rack.order); }, kBeside},
    {"rounds", "rounds", "", [](R r, O) -> Json { return r.rounds.size(); }, kBeside},
    {"call_ratio", "", "a call, of a majority message and a hop:", middle<&CallsRound::call_ratio>},
    {"call_ratio_q1", "", "quartiles", low<&CallsRound::call_ratio>, kBeside},
    {"call_ratio_q3", "", "", high<&CallsRound::call_ratio>, kBeside},
    {"outside_ratio", "",
     "from outside the view, of a call from inside:", middle<&CallsRound::outside_ratio>},
    {"outside_ratio_q1", "", "quartiles", low<&CallsRound::outside_ratio>, kBeside},
    {"outside_ratio_q3", "", "", high<&CallsRound::outside_ratio>, kBeside},
    {"grant_ratio", "", "a free lock, of a majority message:", middle<&CallsRound::grant_ratio>},
    {"grant_ratio_q1", "", "quartiles", low<&CallsRound::grant_ratio>, kBeside},
    {"grant_ratio_q3", "", "", high<&CallsRound::grant_ratio>, kBeside},
    {"rate_ratio", "",
     "calls a second, of majority messages a second:", middle<&CallsRound::rate_ratio>},
    {"rate_ratio_q1", "", "quartiles", low<&CallsRound::rate_ratio>, kBeside},
    {"rate_ratio_q3", "", "", high<&CallsRound::rate_ratio>, kBeside},
    {"amid_ratio", "",
     "a paced message's p99 amid long answers, of that without:", middle<&CallsRound::amid_ratio>},
    {"amid_ratio_q1", "", "quartiles", low<&CallsRound::amid_ratio>, kBeside},
    {"amid_ratio_q3", "", "", high<&CallsRound::amid_ratio>, kBeside},
    {"long_ms", "ms", "a long answer:", middle<&CallsRound::long_ms>},
    {"answer_mib", "MiB", "", of<&Opt::answer_mib>, kBeside},
    {"drop", "at each receiver lost", "", [](R, O o) -> Json { return o.rack.drop; }, kBeside},
    {"under_way", "under way", "", of<&Opt::under_way>, kBeside},
    {"calls", "calls", "", of<&T::ended>},
    {"answered", "answered", "", of<&T::answered>, kBeside},
    {"spoiled", "spoiled answers", "", of<&T::spoiled>, kBeside},
    {"views", "", "views begun, one a node is right:", of<&T::views>},
    {"sound", "", "verdict: every call answered|verdict: NOT SOUND",
     [](R r, O o) -> Json { return r.sound(o); }},
    {"by_round", "", "", rounds, kNever},
};

double ratio_of(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double CallsRound::call_ratio() const { return ratio_of(inside_ns, message_ns + hop_ns); }
double CallsRound::outside_ratio() const { return ratio_of(outside_ns, inside_ns); }
double CallsRound::grant_ratio() const { return ratio_of(grant_ns, message_ns); }
double CallsRound::amid_ratio() const { return ratio_of(amid_p99_ns, paced_p99_ns); }
double CallsRound::rate_ratio() const { return messages_s == 0 ? 0 : calls_s / messages_s; }

Quartiles quartiles(std::vector<double> values) {
  std::erase(values, 0.0);
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.25), at(0.5), at(0.75)};
}

Quartiles CallsReport::of(double (CallsRound::*ratio)() const) const {
  std::vector<double> values;
  for (const CallsRound& each : rounds) values.push_back((each.*ratio)());
  return quartiles(std::move(values));
}

bool CallsReport::sound(O options) const {
  const bool whole = std::ranges::all_of(rounds, [&](const CallsRound& each) {
    return each.message_ns != 0 && each.hop_ns != 0 && each.inside_ns != 0 && each.grant_ns != 0 &&
           each.messages_s > 0 && each.calls_s > 0 && (each.outside_ns != 0 || !options.outside) &&
           ((each.paced_p99_ns != 0 && each.amid_p99_ns != 0 && each.long_ns != 0) ||
            options.answer_mib == 0);
  });
  return whole && rounds.size() == options.rounds && ended != 0 && answered == ended &&
         spoiled == 0 && views == options.rack.fabric.nodes;
}

Readings readings_of(R report, O options) { return read("calls", kFigures, report, options); }

void add_options(CLI::App& command, Opt& o) {
  add_nodes(command, o.rack.fabric.nodes, 4, ", all members of a view");
  choice(command, "--order", o.rack.order, {ordering::Order::kSequencer, ordering::Order::kRing},
         "who says what comes next: sequencer or ring");
  command.add_flag("--outside,!--no-outside", o.outside,
                   "one more endpoint, outside the view, calls too");
  number(command, "--rounds", o.rounds, 1u, 1000u, "each measures everything in turn");
  number(command, "--under-way", o.under_way, 1u, 64u, "calls at a time, where they are counted");
  number(command, "--answer-mib", o.answer_mib, 0u, 16u,
         "of the long answer that comes amid paced messages; 0: not measured");
  number(command, "--drop", o.rack.drop, 0.0, 0.5, "the part of frames that each receiver loses");
  add_seconds(command, o.seconds, 0.01, "of each measurement");
  add_warm_up(command, o.warm_up, "seconds before each, not measured");
  number(command, "--ack-us", o.rack.ack_us, 1u, 1'000'000u,
         "least time between two acknowledgements of a node");
  add_lcores(command, o.rack.fabric.lcores);
  add_json(command, o.output);
}

std::string check(O) { return {}; }

// The endpoint outside the view is the last one.
Planned rack_of(O o) {
  ViewPlan plan = o.rack;
  if (o.outside) ++plan.fabric.nodes;
  Planned planned = rack_of(plan);
  if (!planned || !o.outside) return planned;
  for (config::Endpoint& endpoint : planned->endpoints)
    endpoint.membership.views.initial_nodes = o.rack.fabric.nodes;
  planned->endpoints.back().membership.enabled = false;
  planned->endpoints.back().rate.policy = rate_control::Policy::kNone;
  return finish(std::move(*planned));
}

CallsRoles roles_of(O o) {
  const uint32_t nodes = o.rack.fabric.nodes;
  const uint32_t number = group::numbered(group::hash_name(kCallsGroup), 0);
  const uint32_t sequencer = sequencer_of(number, o.rack);
  return {(sequencer + 1) % nodes, (sequencer + 2) % nodes, (sequencer + 3) % nodes};
}

}  // namespace lambdacast::bench
