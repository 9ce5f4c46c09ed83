// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "../harness/session.h"
#include "loss.h"
#include "loss_application.h"
#include "rack/rack_account.h"

namespace lambdacast::bench {
namespace {

using Applications = std::vector<LossApplication*>;

Applications make_applications(Session& session, LossRun& run, const LossOptions& options) {
  const uint32_t senders = options.one_sender ? 1 : run.nodes;
  const uint64_t all = options.packets == 0 ? uint64_t{1} << 60 : options.packets;
  // Senders share the rate; each may catch up a burst.
  const bool by_rate = options.pace.kind == Pace::Kind::kRate;
  const uint64_t rate = by_rate ? std::max<uint64_t>(1, options.pace.per_second / senders) : 0;
  Applications applications;
  for (uint32_t node = 0; node < run.nodes; ++node) {
    LossApplication::Role role{node, 0, rate, 0};
    if (node < senders) role.quota = all / senders + (node < all % senders ? 1 : 0);
    if (options.slow_at == node) role.take_rate = options.slow_pps;
    applications.push_back(session.add<LossApplication>(node, run, role));
  }
  return applications;
}

void show_progress(const Applications& applications, Session& session, bool end) {
  if (::isatty(STDERR_FILENO) == 0) return;
  const Traffic traffic = traffic_of(applications, session.now_ns());
  std::fprintf(stderr, "\r%8.1f s  sent %lu  delivered %lu%s",
               static_cast<double>(traffic.now_ns) / 1e9, traffic.published, traffic.delivered,
               end ? "\n" : "");
}

// Until every sender has its quota out, the time is over or a signal came.
void send(Session& session, LossRun& run, const Applications& applications,
          const LossOptions& options, uint64_t start_ns) {
  const uint64_t end_ns =
      options.seconds > 0 ? start_ns + static_cast<uint64_t>(options.seconds * 1e9) : ~uint64_t{0};
  run.go.store(true);
  while (!std::all_of(applications.begin(), applications.end(),
                      [](const LossApplication* a) { return a->done(); })) {
    const uint64_t now_ns = session.now_ns();
    if (now_ns >= end_ns || session.stopped()) break;
    session.signal().wait_ms(std::clamp<uint64_t>((end_ns - now_ns) / 1'000'000, 1, 20));
    show_progress(applications, session, false);
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
  report.elapsed_s = seconds_between(start_ns, last_ns);
  return report;
}

// On an error it has complained.
tl::expected<LossReport, app::ExitCode> measure(const app::CommandLine& line,
                                                const LossOptions& options) {
  const auto opened = Session::open(line, rack_of(options), {}, options.psn_start);
  if (!opened) return tl::unexpected(opened.error());
  Session& session = **opened;
  rack::Rack& rack = session.rack();
  Credit credit(static_cast<uint32_t>(rack.size()), session.window());
  LossRun run;
  run.credit = options.pace.windowed(options.qos) ? &credit : nullptr;
  run.qos = options.qos.qos;
  run.nodes = static_cast<uint32_t>(rack.size());
  run.first_frame_seq = options.psn_start;
  run.application_bytes = options.application_bytes();
  const Applications applications = make_applications(session, run, options);
  if (!session.start() || (options.qos.recoverable() && !session.await_all_receivers()))
    return tl::unexpected(app::kExitEnvironment);
  const uint64_t start_ns = session.now_ns();
  send(session, run, applications, options, start_ns);
  (void)settle(rack, session.signal());
  show_progress(applications, session, true);
  rack.stop();
  return report_of(rack, account_of(rack), applications, start_ns);
}

template <typename Options>
int run_and_tell(const app::CommandLine& line, const Options& options) {
  const auto report = measure(line, options);
  if (!report) return report.error();
  return tell(readings_of(*report, options), report->sound(options), options.output);
}

}  // namespace

int run(const app::CommandLine& line, const LossOptions& options) {
  return run_and_tell(line, options);
}
int run(const app::CommandLine& line, const RepairOptions& options) {
  return run_and_tell(line, options);
}

}  // namespace lambdacast::bench
