// SPDX-License-Identifier: BSD-3-Clause
#include "groups.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "../harness/option_groups.h"

namespace lambdacast::bench {
namespace {

using T = GroupsReport;
using S = GroupsStep;
using Opt = GroupsOptions;
using R = const T&;
using O = const Opt&;

constexpr Figure<T, Opt> kRun[] = {
    {"nodes", "nodes", "", [](R, O o) -> Json { return o.rack.fabric.nodes; }, kBeside},
    {"level", "", "level", [](R, O o) -> Json { return config::name(o.level); }, kBeside},
    {"payload_bytes", "bytes of the application", "", of<&Opt::payload_bytes>, kBeside},
    {"rounds", "", "one sends, rounds", of<&Opt::rounds>, kBeside},
    {"rate", "", "", of<&Opt::rate>, kNever},
    {"order_domains", "", "", [](R, O o) -> Json { return o.rack.order_domains; }, kNever},
};

constexpr Figure<S, Opt> kStep[] = {
    {"groups", "groups", "", of<&S::groups>},
    {"joins_per_s", "joins/s", "", of<&S::joins_per_s>, kBeside},
    {"one_mps", "messages/s", "to one", of<&S::one>, kBeside},
    {"many_mps", "messages/s", "to all", of<&S::many>, kBeside},
    {"ratio", "", "ratio", of<&S::ratio>, kBeside},
    {"rss_bytes_per_group", "bytes of RSS a group", "",
     [](const S& s, O o) -> Json { return s.rss_bytes_per_group(o); }, kBeside},
    {"joins", "", "", of<&S::joins>, kNever},
    {"join_s", "", "", of<&S::join_s>, kNever},
    {"one_mps_by_round", "", "", of<&S::one_mps>, kNever},
    {"many_mps_by_round", "", "", of<&S::many_mps>, kNever},
    {"rss_growth_bytes", "", "", of<&S::rss_growth_bytes>, kNever},
};

Json steps(R r, O o) {
  Json list = Json::array();
  for (const S& step : r.steps) {
    Readings readings;
    read(readings, kStep, step, o);
    list.push_back(object_of(readings));
  }
  return list;
}

constexpr Figure<T, Opt> kVerdict[] = {
    {"table_bytes_per_group", "bytes of a node's tables", "an idle group takes",
     of<&T::table_bytes_per_group>},
    {"published", "published", "", of<&T::published>},
    {"expected", "deliveries expected", "", of<&T::expected>, kBeside},
    {"delivered", "delivered", "", of<&T::delivered>, kBeside},
    {"views", "", "views begun, one a node is right:", of<&T::views>},
    {"wrong", "messages", "WRONG CONTENT in", of<&T::wrong>, kNotZero},
    {"out_of_order", "messages", "OUT OF their group's ORDER:", of<&T::out_of_order>, kNotZero},
    {"sound", "", "verdict: every message, in its order|verdict: NOT SOUND",
     [](R r, O o) -> Json { return r.sound(o); }},
    {"steps", "", "", steps, kNever},
};

}  // namespace

void add_options(CLI::App& command, Opt& o) {
  add_nodes(command, o.rack.fabric.nodes, 2, ", all members of a view");
  number(command, "--groups", o.groups, 1u, kMostBenchGroups,
         "groups with names that every node joins; several, ascending: one step each")
      ->delimiter(',');
  choice(command, "--level", o.level, {wire::Qos::kSourceOrdered, wire::Qos::kTotallyOrdered},
         "of service: source, total");
  add_payload(command, o.payload_bytes, 16);
  add_seconds(command, o.seconds, 0.01, "of each measurement");
  add_warm_up(command, o.warm_up, "seconds before each, not measured");
  number(command, "--rounds", o.rounds, 1u, 1000u,
         "of each step; each measures one group and all groups in turn");
  add_rate(command, o.rate, "the sender");
  number(command, "--domains", o.rack.order_domains, 1u, 65536u,
         "of total order, a power of two: with 1 all groups have one sequencer");
  add_lcores(command, o.rack.fabric.lcores);
  add_json(command, o.output);
}

std::string check(O o) {
  const auto falls = std::adjacent_find(o.groups.begin(), o.groups.end(), std::greater_equal<>());
  if (falls != o.groups.end()) return "--groups has to ascend";
  if (!std::has_single_bit(o.rack.order_domains)) return "--domains has to be a power of two";
  return {};
}

Planned rack_of(O o) {
  ViewPlan plan = o.rack;
  plan.names = std::max(plan.names, std::bit_ceil(o.groups.back()));
  return rack_of(plan);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double GroupsStep::rss_bytes_per_group(O options) const {
  if (groups < 2) return 0;
  return static_cast<double>(rss_growth_bytes) / (groups - 1.0) / options.rack.fabric.nodes;
}

bool GroupsReport::sound(O options) const {
  return steps.size() == options.groups.size() && wrong == 0 && out_of_order == 0 &&
         views == options.rack.fabric.nodes && published != 0 && delivered == expected;
}

// In JSON the last step's keys stay: each has the same.
Readings readings_of(R r, O options) {
  Readings readings = read("groups", kRun, r, options);
  for (const S& step : r.steps) read(readings, kStep, step, options);
  read(readings, kVerdict, r, options);
  return readings;
}

}  // namespace lambdacast::bench
