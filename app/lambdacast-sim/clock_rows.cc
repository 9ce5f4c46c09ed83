// SPDX-License-Identifier: BSD-3-Clause
#include "clock_rows.h"

#include "base/random.h"
#include "spread.h"
#include "trace_option.h"

namespace lambdacast::sim_program {

using Json = nlohmann::ordered_json;
using namespace sim::fabrics;  // of this file alone

ClockScenario scenario_of(const ClockOptions& options, const ClockRow& row, const Fabric& fabric,
                          const ClockTree& tree, uint64_t seed) {
  ClockScenario scenario;
  scenario.medium = {.model = options.model,
                     .budget_bps = row.budget_bps,
                     .propagation_ns = options.propagation_ns,
                     .loss = options.loss};
  scenario.improvements = row.run.improvements;
  scenario.speaks = row.run.speaks;
  scenario.interval_ns = options.interval_us * 1'000;
  scenario.base_ns = options.base_ns;
  scenario.drift = options.drift_ppm * 1e-6;
  scenario.candidates = options.candidates != 0       ? options.candidates
                        : row.budget_bps > 10'000'000 ? 4
                                                      : 2;
  scenario.probes = options.probes;
  scenario.slack_ns = static_cast<uint64_t>(options.slack_us * 1e3);
  scenario.seed = seed;
  // Anywhere within an interval, behind some that are calm.
  const uint64_t calm_ns =
      options.calm_ms != 0 ? options.calm_ms * 1'000'000 : 10 * scenario.interval_ns;
  scenario.failure_ns = calm_ns + base::SplitMix64(seed).below(scenario.interval_ns);
  scenario.limit_ns += calm_ns;
  scenario.failures = draw_failures(fabric, tree, row.failures, options.failing == "link", seed);
  scenario.trace = trace_sink(options.trace);
  if (seed == options.first_seed) scenario.bin_ns = static_cast<uint64_t>(options.bin_us * 1e3);
  return scenario;
}

Json key_of(const ClockOptions& options, const ClockRow& row) {
  return {row.graph,           row.scheme,
          row.budget_bps,      row.failures,
          options.failing,     options.model == Model::kA ? "A" : "B",
          options.loss,        options.propagation_ns,
          options.interval_us, options.drift_ppm,
          options.base_ns,     options.candidates,
          options.probes,      options.slack_us,
          options.with,        options.without,
          options.seeds,       options.first_seed,
          options.calm_ms,     options.bin_us};
}

Json row_json(const ClockOptions& options, const ClockRow& row) {
  const Spread fast = spread_of(row.seeds, [](const ClockRun& run) { return run.fast_ns; });
  const Spread full = spread_of(row.seeds, [](const ClockRun& run) { return run.full_ns; });
  const Spread peak = spread_of(row.seeds, [](const ClockRun& run) { return run.peak_ns; });
  const auto us = [](double ns, bool known) { return known ? Json(ns / 1e3) : Json(nullptr); };
  const bool has_fast = row.run.kind != ClockScheme::Kind::kPtp;
  Json json = {
      {"graph", row.graph},
      {"scheme", row.scheme},
      {"medium", options.model == Model::kA ? "A" : "B"},
      {"budget_bps", row.budget_bps},
      {"failures", row.failures},
      {"fast_us_mean", us(fast.mean, has_fast)},
      {"fast_us_p99", us(fast.p99, has_fast)},
      {"full_us_mean", us(full.mean, true)},
      {"full_us_p99", us(full.p99, true)},
      {"peak_epsilon_ns", peak.mean},
      {"seeds", row.seeds.size()},
      {"fast_us_p50", us(fast.p50, has_fast)},
      {"full_us_p50", us(full.p50, true)},
      {"peak_epsilon_ns_p99", peak.p99},
      {"normal_epsilon_ns",
       spread_of(row.seeds, [](const ClockRun& run) { return run.normal_ns; }).mean},
      {"height", spread_of(row.seeds, [](const ClockRun& run) { return run.height; }).mean},
      {"floods", spread_of(row.seeds, [](const ClockRun& run) { return run.floods; }).mean},
      {"frames", spread_of(row.seeds, [](const ClockRun& run) { return run.frames; }).mean},
      {"failing", options.failing}};
  if (row.failures == 0 && options.calm_ms != 0)
    json["false_recoveries_an_hour"] =
        json["floods"].get<double>() * 3'600'000 / static_cast<double>(options.calm_ms);
  uint64_t violations = 0;
  for (const ClockRun& run : row.seeds) violations += run.violations.size();
  json["violations"] = violations;
  if (options.bin_us != 0 && !row.seeds.front().epsilon_ns.empty()) {
    json["bin_us"] = options.bin_us;
    json["epsilon_ns"] = row.seeds.front().epsilon_ns;
    json["busiest_bits"] = row.seeds.front().busiest_bits;
  }
  return json;
}

}  // namespace lambdacast::sim_program
