// SPDX-License-Identifier: BSD-3-Clause
// The keys of [endpoint.rate], and what they ask of each other and of the rest.
#include <fmt/format.h>

#include "config/draft.h"
#include "config/member_key.h"
#include "wire/control/rate_message.h"

namespace lambdacast::config {
namespace {

using rate_control::Policy;
using rate_control::RateConfig;

// Values are bits a second, and each key gives 0 a meaning of its own.
const Rule kRate = RangeOrZero{wire::kLeastBps, wire::kMostBps};

}  // namespace

std::span<const KeyOf<RateConfig>> rate_keys() {
  using R = RateConfig;
  static const KeyOf<R> keys[] = {
      key<&R::policy>("policy", "",
                      Words{{name(Policy::kNone), name(Policy::kFixed), name(Policy::kFair)}},
                      "What it may send: all that its line and limit let go, exactly its limit, or "
                      "a fair share of the receivers, agreed on with the members of its view. "
                      "Without membership fair is none"),
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

void check_rate(const Draft<Endpoint>& draft, Report& report) {
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
  const membership::MembershipConfig& views = draft.value.membership.views;
  const bool has_limit = rate.capacity_bps != 0 || draft.value.faults.rx_rate_bps != 0;
  const bool patient = views.suspect_after_ns >= 8 * views.heartbeat_ns;
  const bool refused_already = views.suspect_after_ns < 4 * views.heartbeat_ns;
  if (draft.value.membership.enabled && rate.policy == Policy::kFair && has_limit && !patient &&
      !refused_already) {
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
