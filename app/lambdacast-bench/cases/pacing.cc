// SPDX-License-Identifier: BSD-3-Clause
#include "pacing.h"

#include <algorithm>
#include <cmath>

#include "../harness/option_groups.h"

namespace lambdacast::bench {
namespace {

using T = PacingReport;
using Opt = PacingOptions;
using R = const T&;
using O = const Opt&;

constexpr Figure<T, Opt> kFigures[] = {
    {"rate_bps", "bit/s", "limit", of<&Opt::rate_bps>, kBeside},
    {"payload_bytes", "bytes of the application", "", of<&Opt::payload_bytes>, kBeside},
    {"burst_us", "us", "bursts of", of<&Opt::burst_us>, kBeside},
    {"windows", "windows of 1 ms", "", [](R r, O) -> Json { return r.ratios.size(); }},
    {"left_out", "left out, for rate_control did not run for longer than a burst lasts", "",
     of<&T::left_out>, kBeside},
    {"near_ratio", "", "within 2 % of the limit, of these windows:", of<&T::near_part>},
    {"p1_ratio", "", "1 % below", [](R r, O) -> Json { return r.value_at(0.01); }, kBeside},
    {"p50_ratio", "", "median", [](R r, O) -> Json { return r.value_at(0.5); }, kBeside},
    {"p99_ratio", "", "1 % above", [](R r, O) -> Json { return r.value_at(0.99); }, kBeside},
    {"mean_ratio", "", "all that was sent, of the limit:", of<&T::mean_ratio>},
    {"sound", "", "verdict: windows measured|verdict: NOT SOUND",
     [](R r, O) -> Json { return r.sound(); }},
};

}  // namespace

void add_options(CLI::App& command, Opt& o) {
  command.add_option("--rate", o.rate_bps, "bits a second that the sender may send")
      ->check(CLI::Range(uint64_t{1'000'000}, uint64_t{100'000'000'000}))
      ->capture_default_str();
  number(command, "--burst-us", o.burst_us, 1u, 10'000u, "of its rate, what it sends at once");
  add_payload(command, o.payload_bytes, 64);
  add_seconds(command, o.seconds, 0.01, "to measure", 1'000);
  add_warm_up(command, o.warm_up, "seconds before, not measured");
  add_lcores(command, o.lcores, "the sender's lcore and the receiver's");
  command.get_option("--lcores")->expected(2);
  add_json(command, o.output);
}

std::string check(O o) {
  const uint64_t frame_bits = uint64_t{8} * (o.payload_bytes + 200);
  if (o.rate_bps / 1'000 < 10 * frame_bits)
    return "--rate has to be at least ten frames of --payload in a millisecond";
  return {};
}

Planned rack_of(O options) {
  config::Config config = draft_of({2, options.lcores, 1024});
  config::Endpoint& sender = config.endpoints[kSenderNode];
  sender.rate.policy = rate_control::Policy::kFixed;
  sender.rate.limit_bps = options.rate_bps;
  sender.rate.burst_ns = options.burst_us * uint64_t{1'000};
  set_groups(config.endpoints[kReceiverNode], 1);
  return finish(std::move(config), "the benchmark's rack");
}

double PacingReport::near_part() const {
  if (ratios.empty()) return 0;
  const auto near = std::count_if(ratios.begin(), ratios.end(),
                                  [](double ratio) { return std::abs(ratio - 1) <= kNear; });
  return static_cast<double>(near) / static_cast<double>(ratios.size());
}

double PacingReport::value_at(double part) const {
  if (ratios.empty()) return 0;
  const auto place = static_cast<size_t>(part * static_cast<double>(ratios.size()));
  return ratios[std::min(place, ratios.size() - 1)];
}

Readings readings_of(R report, O options) { return read("pacing", kFigures, report, options); }

}  // namespace lambdacast::bench
