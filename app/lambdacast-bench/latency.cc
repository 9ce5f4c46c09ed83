// SPDX-License-Identifier: BSD-3-Clause
#include "latency.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "bench_rack.h"
#include "histogram_file.h"
#include "latency_run.h"
#include "rack/incarnation.h"

namespace lambdacast::bench {
namespace {

bool write_histograms(const LatencyReport& report, const std::string& file) {
  if (file.empty()) return true;
  if (!write_file(hgrm_of(report.full.sent_to_delivered, kNsPerUs), file) ||
      !write_file(hgrm_of(report.full.due_to_delivered, kNsPerUs), beside(file, "intended"))) {
    return false;
  }
  return !report.bare ||
         write_file(hgrm_of(report.bare->sent_to_delivered, kNsPerUs), beside(file, "bare"));
}

}  // namespace

int run_latency(const app::CommandLine& line, const LatencyOptions& options) {
  const auto config = rack_of(options);
  if (!config) return std::fputs(config.error().c_str(), stderr), app::kExitUsage;
  if (const std::string missing = options.pair.plot.empty() ? "" : gnuplot_missing();
      !missing.empty()) {
    return complain(missing, app::kExitEnvironment);
  }
  dpdk::StopSignal stop;
  auto bench = BenchRack::create(line, *config, {rack::incarnation_now(), 0});
  if (!bench) return bench.error();
  LatencyRun run(*bench->rack, options, window_of(*config), stop);
  if (auto started = bench->rack->start(); !started) {
    return complain(started.error().message, app::kExitEnvironment);
  }
  const bool answers = options.mode == LatencyMode::kRoundTrip;
  if (options.pair.qos.recoverable() &&
      (!await_receivers(*bench->rack, kSenderNode, 1, stop) ||
       (answers && !await_receivers(*bench->rack, kReceiverNode, 1, stop)))) {
    return app::kExitEnvironment;
  }
  const LatencyReport report = run.measure();
  print(text_of(report, options), options.pair.json);
  if (!write_file(json_of(report, options), options.pair.json) ||
      !write_histograms(report, options.pair.histogram)) {
    return app::kExitEnvironment;
  }
  if (!draw_plot(plot_of(report, options), options.pair.plot)) return app::kExitEnvironment;
  return report.full.sound() && (!report.bare || report.bare->sound()) ? app::kExitOk
                                                                       : app::kExitFailed;
}

}  // namespace lambdacast::bench
