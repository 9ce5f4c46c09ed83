// SPDX-License-Identifier: BSD-3-Clause
#include "loss.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "bench_rack.h"
#include "loss_application.h"
#include "loss_report.h"
#include "rack/incarnation.h"
#include "rack/rack_account.h"
#include "wire/control/transport.h"

namespace lambdacast::bench {
namespace {

using Applications = std::vector<LossApplication*>;

Applications make_applications(rack::Rack& rack, LossRun& run, const LossOptions& options) {
  const uint32_t senders = options.one_sender ? 1 : run.nodes;
  Applications applications;
  for (uint32_t node = 0; node < run.nodes; ++node) {
    uint64_t quota = 0;
    if (node < senders) {
      const uint64_t all = options.packets == 0 ? uint64_t{1} << 60 : options.packets;
      quota = all / senders + (node < all % senders ? 1 : 0);
    }
    // Senders share the rate; each may catch up a burst.
    const uint64_t rate = options.pace.kind == Pace::Kind::kRate
                              ? std::max<uint64_t>(1, options.pace.per_second / senders)
                              : 0;
    const uint64_t burst = rack.endpoint(node).config().burst;
    LossApplication::Role role{node, quota, {rate, burst}, {}};
    if (options.slow_at == node) role.take_rate = {options.slow_pps, burst};
    auto application = std::make_unique<LossApplication>(run, role, rack.endpoint(node));
    applications.push_back(application.get());
    rack.set_application(node, std::move(application));
  }
  return applications;
}

void show_progress(const Applications& applications, const rack::Rack& rack, bool end) {
  if (::isatty(STDERR_FILENO) == 0) return;
  uint64_t published = 0;
  uint64_t delivered = 0;
  for (const LossApplication* application : applications) {
    published += application->published();
    delivered += application->delivered();
  }
  std::fprintf(stderr, "\r%8.1f s  sent %lu  delivered %lu%s",
               static_cast<double>(rack.clock().now_ns()) / 1e9, published, delivered,
               end ? "\n" : "");
}

// Until every sender has its quota out, the time is over or a signal came.
void send(rack::Rack& rack, LossRun& run, const Applications& applications,
          const LossOptions& options, dpdk::StopSignal& stop, uint64_t start_ns) {
  const uint64_t end_ns =
      options.seconds > 0 ? start_ns + static_cast<uint64_t>(options.seconds * 1e9) : ~uint64_t{0};
  run.go.store(true);
  while (!std::all_of(applications.begin(), applications.end(),
                      [](const LossApplication* a) { return a->done(); })) {
    const uint64_t now_ns = rack.clock().now_ns();
    if (now_ns >= end_ns || stop.came()) break;
    stop.wait_ms(std::clamp<uint64_t>((end_ns - now_ns) / 1'000'000, 1, 20));
    show_progress(applications, rack, false);
  }
  run.finished.store(true);
}

// By sequence: what `receiver` has not seen of what its peers have numbered. The rack stands still.
uint64_t missing_at(rack::Rack& rack, const rack::RackAccount& account, size_t receiver) {
  reliability::FrameAccount frames = rack.endpoint(receiver).frames();  // a copy to finish
  uint64_t missing = 0;
  for (size_t sender = 0; sender < rack.size(); ++sender) {
    const node::RateControlReport& sent = account.stages[sender].rate_control;
    if (sender == receiver || sent.packets == 0) continue;
    const auto& identity = rack.endpoint(sender).identity();
    const auto& peers = account.stages[receiver].receive.peers;
    const auto peer = std::find_if(peers.begin(), peers.end(), [&](const auto& p) {
      return p.gid == identity.gid && p.qpn == identity.data_qpn;
    });
    if (peer == peers.end()) {
      missing += sent.packets;
      continue;
    }
    const auto index = static_cast<size_t>(peer - peers.begin());
    frames.finish(index, identity.incarnation, sent.first_frame_seq, sent.next_frame_seq - 1);
    missing += frames.report(index).current.missing;
  }
  return missing;
}

LossReport report_of(rack::Rack& rack, const rack::RackAccount& account,
                     const Applications& applications, uint64_t start_ns) {
  LossReport report;
  report.receivers = account.receivers;
  report.transmitters = account.transmitters;
  uint64_t last_ns = start_ns;
  for (size_t i = 0; i < rack.size(); ++i) {
    report.names.push_back(rack.endpoint(i).config().name);
    report.missing.push_back(missing_at(rack, account, i));
    report.psn_wraps_sent += account.stages[i].rate_control.psn_wraps;
    for (const auto& peer : account.stages[i].reliability.peers) {
      report.psn_wraps_seen += peer.stream.psn_wraps;
      report.psn_mismatches += peer.stream.psn_mismatches;
    }
    report.wrong_content += applications[i]->wrong_content();
    report.recoverable.add(account.stages[i], applications[i]->messages());
    report.published += applications[i]->published();
    report.recoverable.round_trips_ns.add(rack.endpoint(i).round_trips_ns());
    report.recoverable.repair_ns.add(rack.endpoint(i).repair_ns());
    report.window_timeouts += applications[i]->window_timeouts();
    last_ns = std::max(last_ns, applications[i]->last_delivery_ns());
  }
  report.elapsed_s = static_cast<double>(last_ns - start_ns) / 1e9;
  return report;
}

}  // namespace

tl::expected<LossReport, app::ExitCode> measure_loss(const app::CommandLine& line,
                                                     const LossOptions& options) {
  auto config = rack_of(options);
  if (!config) {
    std::fputs(config.error().c_str(), stderr);
    return tl::unexpected(app::kExitUsage);
  }
  dpdk::StopSignal stop;
  auto bench = BenchRack::create(line, *config, {rack::incarnation_now(), options.psn_start});
  if (!bench) return tl::unexpected(bench.error());
  rack::Rack& rack = *bench->rack;

  Credit credit(static_cast<uint32_t>(rack.size()), window_of(*config));
  LossRun run;
  // Recoverable messages have windows of their own.
  const bool windowed = options.pace.kind == Pace::Kind::kWindow && !options.qos.recoverable();
  run.credit = windowed ? &credit : nullptr;
  run.qos = options.qos.qos;
  run.nodes = static_cast<uint32_t>(rack.size());
  run.first_frame_seq = options.psn_start;
  run.application_bytes = options.payload_bytes - wire::kTransportHeaderBytes;
  const Applications applications = make_applications(rack, run, options);
  if (auto started = rack.start(); !started) {
    return tl::unexpected(complain(started.error().message, app::kExitEnvironment));
  }
  for (size_t node = 0; options.qos.recoverable() && node < rack.size(); ++node) {
    if (!await_receivers(rack, node, rack.size() - 1, stop))
      return tl::unexpected(app::kExitEnvironment);
  }
  const uint64_t start_ns = rack.clock().now_ns();
  send(rack, run, applications, options, stop, start_ns);
  (void)settle(rack, stop);
  show_progress(applications, rack, true);
  rack.stop();
  const rack::RackAccount account = account_of(rack);

  return report_of(rack, account, applications, start_ns);
}

int run_loss(const app::CommandLine& line, const LossOptions& options) {
  const auto report = measure_loss(line, options);
  if (!report) return report.error();
  print(text_of(*report, options), options.json);
  if (!write_file(json_of(*report, options), options.json)) return app::kExitEnvironment;
  return report->sound(options) ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::bench
