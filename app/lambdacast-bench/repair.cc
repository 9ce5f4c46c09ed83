// SPDX-License-Identifier: BSD-3-Clause
#include "repair.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "loss.h"

namespace lambdacast::bench {
namespace {

double in_round_trips(uint64_t ns, const RecoverableReport& r) {
  const uint64_t rtt_ns = r.round_trips_ns.value_at(0.5);
  return rtt_ns == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(rtt_ns);
}

std::string repair_text(const LossReport& report, const LossOptions& options) {
  const RecoverableReport& r = report.recoverable;
  std::string text = fmt::format(
      "repair: {} nodes, {} bytes of RoCE payload, {} at each receiver lost, qos {}, pace {}\n"
      "  {} messages, {} missed at first, {} repaired, {} declared lost; {} NACKs, {} repairs\n",
      report.receivers.size(), options.payload_bytes, options.qos.drop,
      config::name(options.qos.qos), options.pace.text(), report.published, r.first_losses,
      r.repaired, r.declared_lost, r.nacks, r.repairs);
  text += fmt::format("  round trip: {:.1f} us median, {:.1f} us 99 %\n",
                      static_cast<double>(r.round_trips_ns.value_at(0.5)) / 1e3,
                      static_cast<double>(r.round_trips_ns.value_at(0.99)) / 1e3);
  for (const double quantile : {0.5, 0.9, 0.99, 0.999, 1.0}) {
    const uint64_t ns = r.repair_ns.value_at(quantile);
    text += fmt::format("  {:>5.1f} % repaired within {:8.1f} us, {:6.2f} round trips\n",
                        quantile * 100, static_cast<double>(ns) / 1e3, in_round_trips(ns, r));
  }
  return text;
}

std::string repair_json(const LossReport& report, const LossOptions& options) {
  const RecoverableReport& r = report.recoverable;
  const uint64_t p50_ns = r.repair_ns.value_at(0.5);
  const uint64_t p99_ns = r.repair_ns.value_at(0.99);
  const nlohmann::ordered_json json = {
      {"benchmark", "repair"},
      {"nodes", report.receivers.size()},
      {"payload_bytes", options.payload_bytes},
      {"drop", options.qos.drop},
      {"qos", config::name(options.qos.qos)},
      {"pace", options.pace.text()},
      {"messages_published", report.published},
      {"first_losses", r.first_losses},
      {"repaired", r.repaired},
      {"messages_declared_lost", r.declared_lost},
      {"nacks", r.nacks},
      {"repairs", r.repairs},
      {"p50_rtt", in_round_trips(p50_ns, r)},
      {"p99_rtt", in_round_trips(p99_ns, r)},
      {"p50_ns", p50_ns},
      {"p99_ns", p99_ns},
      {"max_ns", r.repair_ns.max()},
      {"rtt_p50_ns", r.round_trips_ns.value_at(0.5)},
      {"rtt_p99_ns", r.round_trips_ns.value_at(0.99)},
      {"all_delivered", report.all_delivered()},
  };
  return json.dump(2) + "\n";
}

}  // namespace

void add_repair_options(CLI::App& command, RepairOptions& options) {
  options.loss.qos.qos = wire::Qos::kSourceOrdered;
  options.loss.qos.drop = 0.001;
  options.loss.packets = 1'000'000;
  options.loss.one_sender = true;
  options.loss.pace = {Pace::Kind::kRate, 500'000};
  add_loss_options(command, options.loss);
}

std::string check(const RepairOptions& options) {
  if (!options.loss.qos.recoverable()) {
    return "--qos unreliable is not allowed; allowed: reliable or source";
  }
  return check(options.loss);
}

int run_repair(const app::CommandLine& line, const RepairOptions& options) {
  const auto report = measure_loss(line, options.loss);
  if (!report) return report.error();
  print(repair_text(*report, options.loss), options.loss.json);
  if (!write_file(repair_json(*report, options.loss), options.loss.json))
    return app::kExitEnvironment;
  return report->sound(options.loss) ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::bench
