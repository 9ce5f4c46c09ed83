// SPDX-License-Identifier: BSD-3-Clause
// What membership asks of an endpoint's other keys.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "config/draft.h"
#include "group/saved_directory.h"
#include "wire/control/group_message.h"

namespace lambdacast::config {
namespace {

// Ordered content is taken, kept and acknowledged in one place.
void check_stages(const Draft<Endpoint>& draft, Report& report) {
  const StageLcores& stages = draft.value.stages;
  if (stages.reliability == stages.ordering && stages.ordering == stages.rate_control) return;
  report.add(place(draft.origins, {"membership.enabled"}),
             fmt::format("wants the stages of {} in one place, and reliability is on lcore {}, "
                         "ordering on {}, rate_control on {}",
                         title(draft), stages.reliability, stages.ordering, stages.rate_control),
             "one lcore for these three stages; receive may have another");
}

void check_suspicion(const Draft<Endpoint>& draft, Report& report) {
  const Origins& origins = draft.origins;
  const membership::MembershipConfig& views = draft.value.membership.views;
  const uint64_t suspect_us = views.suspect_after_ns / kNsPerUs;
  const uint64_t heartbeat_us = views.heartbeat_ns / kNsPerUs;
  const uint64_t least_us = 4 * heartbeat_us;
  if (suspect_us >= least_us || origins.invalid("membership.heartbeat_us") ||
      origins.invalid("membership.suspect_after_us"))
    return;
  report.add(
      place(origins, {"membership.suspect_after_us", "membership.heartbeat_us"}),
      fmt::format("lets {} be suspected after {} us, and it gives a sign of life every {} us",
                  title(draft), suspect_us, heartbeat_us),
      fmt::format("a suspect_after_us of at least {}, or a shorter heartbeat_us", least_us));
}

void check_order(const Draft<Endpoint>& draft, Report& report) {
  const ordering::TotalOrderConfig& order = draft.value.membership.order;
  if (order.order != ordering::Order::kMixed || order.domains > 1) return;
  report.add(place(draft.origins, {"membership.order", "membership.order_domains"}),
             fmt::format("shares the domains out, and {} has one", title(draft)),
             "order_domains of at least 2, or \"sequencer\" or \"ring\"");
}

// Half of the numbers are for groups with names, which the members agree on.
void check_groups(const Draft<Endpoint>& draft, Report& report) {
  const auto refuse = [&](const char* key, const std::string& what) {
    const Origin* origin = draft.origins.find(key);
    if (origin == nullptr) return;
    report.add(*origin,
               fmt::format("{} of groups with names, and {} has membership", what, title(draft)),
               fmt::format("numbers up to {}", wire::kFirstNamedGroup - 1));
  };
  const std::vector<uint32_t>& groups = draft.value.groups;
  const auto named = std::find_if(groups.begin(), groups.end(),
                                  [](uint32_t group) { return group >= wire::kFirstNamedGroup; });
  if (named != groups.end()) refuse("groups", fmt::format("has {}, a number", *named));
  if (draft.value.traffic.group >= wire::kFirstNamedGroup) refuse("traffic.group", "is a number");
}

// A newcomer is told of all groups and locks in one state. Locks may be twice as many as a node
// asks for, since nodes ask at the same time.
void check_directory(const Draft<Endpoint>& draft, Report& report) {
  const Origins& origins = draft.origins;
  const group::GroupConfig& groups = draft.value.membership.groups;
  const size_t full = group::most_saved_bytes(groups.names, 2 * groups.handlers);
  if (groups.state_bytes >= full || origins.invalid("membership.names") ||
      origins.invalid("membership.handlers") || origins.invalid("membership.state_bytes"))
    return;
  report.add(
      place(origins, {"membership.state_bytes", "membership.names", "membership.handlers"}),
      fmt::format("has no room for the {} bytes of a full directory of {} names and {} locks, "
                  "which {} gets when it joins a view",
                  full, groups.names, groups.handlers, title(draft)),
      fmt::format("a state_bytes of at least {}", std::bit_ceil(full)));
}

// What an endpoint says of itself that only members do, or only others. Defaults of a file may be
// for both, and what is usual changes nothing.
void check_requests(const Draft<Endpoint>& draft, Report& report) {
  const bool member = draft.value.membership.enabled;
  const Requests& requests = draft.value.requests;
  const group::RequestsConfig& limits = requests.limits;
  const group::RequestsConfig usual;
  const auto refuse = [&](const char* key, bool as_usual, const char* what, const char* allowed) {
    const Origin* const origin = draft.origins.find(key);
    if (as_usual || origin == nullptr || !origin->key.starts_with("endpoint.")) return;
    report.add(*origin,
               fmt::format("{}, and {} has {}membership", what, title(draft), member ? "" : "no "),
               allowed);
  };
  if (member) {
    refuse("requests.entries", requests.entries.empty(), "is for callers outside the view",
           "no entries");
    return;
  }
  constexpr const char* kAllowed = "membership.enabled = true, or no such key";
  refuse("requests.forwards", limits.forwards == usual.forwards, "is for members of the view",
         kAllowed);
  refuse("requests.tickets", limits.tickets == usual.tickets, "is for members of the view",
         kAllowed);
  refuse("requests.answers_bytes", limits.answers_bytes == usual.answers_bytes,
         "is for members of the view", kAllowed);
}

}  // namespace

void check_membership(const Draft<Endpoint>& draft, Report& report) {
  check_requests(draft, report);
  if (draft.value.membership.enabled) {
    check_stages(draft, report);
    check_suspicion(draft, report);
    check_order(draft, report);
    check_groups(draft, report);
    check_directory(draft, report);
  } else if (draft.value.traffic.qos >= wire::Qos::kTotallyOrdered) {
    report.add(place(draft.origins, {"traffic.qos"}),
               fmt::format("is total order, and {} has no membership", title(draft)),
               "membership.enabled = true, or \"unreliable\", \"reliable\" or \"source\"");
  }
}

}  // namespace lambdacast::config
