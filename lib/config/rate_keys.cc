// SPDX-License-Identifier: BSD-3-Clause
// The keys of [endpoint.rate] and [[endpoint.group_rate]], and what they ask of each other and of
// the rest.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/draft.h"
#include "config/member_key.h"
#include "rate_control/control_at_rest.h"
#include "wire/control/rate_message.h"

namespace lambdacast::config {
namespace {

using rate_control::GroupRate;
using rate_control::Policy;
using rate_control::RateConfig;

// Values are bits a second, and each key gives 0 a meaning of its own.
const Rule kRate = RangeOrZero{wire::kLeastBps, wire::kMostBps};

uint64_t control_at_rest_bps(const Endpoint& endpoint) {
  const membership::MembershipConfig& views = endpoint.membership.views;
  const reliability::ReliabilityConfig& reliability = endpoint.reliability;
  return bits_per_second(rate_control::ControlAtRest{
      .nodes = views.initial_nodes,
      .member_heartbeat_ns = views.heartbeat_ns,
      .heartbeat_ns = reliability.heartbeat_max_ns,
      .suspect_after_ns = std::min(views.suspect_after_ns, reliability.suspect_after_ns)});
}

void warn_of_control(const Draft<Endpoint>& draft, uint64_t capacity_bps, Report& report) {
  const RateConfig& rate = draft.value.rate;
  const size_t nodes = draft.value.membership.views.initial_nodes;
  const uint64_t reserve = rate_control::percent_of(capacity_bps, rate.reserve_percent);
  const uint64_t outside = rate.outside_bps != 0 ? rate.outside_bps : reserve / (3 * nodes);
  const uint64_t has = reserve / 3 * 2 / nodes + outside;
  const uint64_t asks = control_at_rest_bps(draft.value);
  if (has >= asks) return;
  report.warn(
      place(draft.origins,
            {"rate.capacity", "faults.rx_rate", "rate.reserve", "membership.heartbeat_us",
             "membership.suspect_after_us", "membership.initial_nodes"}),
      fmt::format("leaves each of {} nodes {} bits/s for control without a share, and the signs of "
                  "life and the statuses of {} take {}",
                  nodes, has, title(draft), asks),
      "a longer membership.heartbeat_us or suspect_after_us, or a larger rate.reserve");
}

void warn_of_buffer(const Draft<Endpoint>& draft, Report& report) {
  const Endpoint& endpoint = draft.value;
  if (endpoint.faults.rx_rate_bps == 0) return;
  const uint64_t frames = 3 * (endpoint.membership.views.initial_nodes - 1);
  const uint64_t least = frames * (endpoint.path_mtu + 110);
  if (endpoint.faults.rx_buffer_bytes >= least) return;
  report.warn(
      place(draft.origins, {"faults.rx_buffer", "faults.rx_rate"}),
      fmt::format("holds less than three frames of each of the nodes that {} hears", title(draft)),
      fmt::format("an rx_buffer of at least {}", least));
}

void check_group_rates(const Draft<Endpoint>& draft, Report& report) {
  std::set<uint32_t> known;
  for (size_t i = 0; i < draft.value.group_rates.size(); ++i) {
    const Origin* group = draft.origins.find(fmt::format("group_rate.{}.group", i));
    if (group == nullptr) continue;
    if (i == rate_control::GroupLimits::kMost) {
      report.add(*group, fmt::format("is of limit {} of {}", i + 1, title(draft)),
                 fmt::format("at most {}", rate_control::GroupLimits::kMost));
    }
    if (!known.insert(draft.value.group_rates[i].group).second) {
      report.add(*group, fmt::format("has a limit in {} twice", title(draft)),
                 "one [[endpoint.group_rate]] for each");
    }
  }
}

}  // namespace

std::span<const KeyOf<RateConfig>> rate_keys() {
  using R = RateConfig;
  static const KeyOf<R> keys[] = {
      key<&R::policy>("policy", "",
                      Words{{name(Policy::kNone), name(Policy::kFixed), name(Policy::kFair),
                             name(Policy::kWindow), name(Policy::kAuto)}},
                      "What it may send: all that its line and limit let go, exactly its limit, a "
                      "fair share of the receivers, agreed on with the members of its view, or "
                      "what the slowest receiver is heard to take; auto is fair with membership, "
                      "and none without"),
      key<&R::need_bps>("need", "bits/s", kRate,
                        "With fair: what it has to send, on the wire; 0: as measured"),
      key<&R::limit_bps>("limit", "bits/s", kRate,
                         "What it sends at most, on the wire, whatever the policy; 0: no limit"),
      key<&R::capacity_bps>(
          "capacity", "bits/s", kRate,
          "What it can receive, of all together, on the wire; 0: `faults.rx_rate`, "
          "and without that no limit"),
      key<&R::reserve_percent>("reserve", "percent", Range{0, 50},
                               "Of the capacity, kept for control and for nodes outside the view"),
      key<&R::outside_bps>("outside", "bits/s", kRate,
                           "With fair, what it sends without a share; 0: its part of the reserve"),
      key_in_us<&R::burst_ns>("burst_us", Range{1, 10000},
                              "Of its rate, what it sends at once at most; a frame in any case. At "
                              "least what its lcore may need for a turn"),
      key_in_ms<&R::demand_ns>("demand_ms", Range{1, 1000}, "Of one measurement of what it sends"),
  };
  return keys;
}

std::span<const KeyOf<GroupRate>> group_rate_keys() {
  using G = GroupRate;
  static const KeyOf<G> keys[] = {
      key<&G::group>("group", "", Range{1, 0xffffffff}, "The group's number", Presence::kRequired),
      key<&G::limit_bps>("limit", "bits/s", Range{wire::kLeastBps, wire::kMostBps},
                         "What the endpoint publishes to it at most, on the wire, repairs not "
                         "counted",
                         Presence::kRequired),
  };
  return keys;
}

void check_rate(const Draft<Endpoint>& draft, Report& report) {
  check_group_rates(draft, report);
  const Origins& origins = draft.origins;
  const RateConfig& rate = draft.value.rate;
  if (rate.policy == Policy::kFixed && rate.limit_bps == 0 && !origins.invalid("rate.limit")) {
    report.add(place(origins, {"rate.policy", "rate.limit"}),
               fmt::format("has {} send its limit, and that is none", title(draft)),
               "rate.limit = BITS");
  }
  if (rate.limit_bps != 0 && rate.need_bps > rate.limit_bps) {
    report.add(place(origins, {"rate.need", "rate.limit"}),
               fmt::format("has {} need {} bits/s, and send {} at most", title(draft),
                           rate.need_bps, rate.limit_bps),
               "a need of no more than the limit");
  }
  if (rate.policy == Policy::kFair && !draft.value.membership.enabled) {
    report.add(place(origins, {"rate.policy", "membership.enabled"}),
               fmt::format("has {} agree on its share with the members of a view, and it has no "
                           "membership",
                           title(draft)),
               "membership.enabled = true, or another rate.policy");
  }
  if (rate_policy(draft.value) != Policy::kFair) return;
  const uint64_t capacity =
      rate.capacity_bps != 0 ? rate.capacity_bps : draft.value.faults.rx_rate_bps;
  if (capacity == 0) return;
  warn_of_control(draft, capacity, report);
  warn_of_buffer(draft, report);
  const membership::MembershipConfig& views = draft.value.membership.views;
  const bool patient = views.suspect_after_ns >= 8 * views.heartbeat_ns;
  const bool refused_already = views.suspect_after_ns < 4 * views.heartbeat_ns;
  if (!patient && !refused_already) {
    report.add(
        place(origins, {"membership.suspect_after_us", "membership.heartbeat_us", "rate.policy"}),
        fmt::format("lets the share of {} lapse after a quarter of {} us, and signs of life come "
                    "every {} us",
                    title(draft), views.suspect_after_ns / kNsPerUs, views.heartbeat_ns / kNsPerUs),
        fmt::format("a suspect_after_us of at least {}, or another rate.policy",
                    8 * views.heartbeat_ns / kNsPerUs));
  }
}

}  // namespace lambdacast::config
