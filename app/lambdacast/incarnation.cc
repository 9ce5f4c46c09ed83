// SPDX-License-Identifier: BSD-3-Clause
#include "incarnation.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "console/capture.h"
#include "dpdk/icrc_choice.h"
#include "network.h"
#include "rack/capture.h"
#include "rack/rack.h"
#include "report.h"
#include "session.h"
#include "telemetry/server.h"
#include "traffic.h"

namespace lambdacast::appliance {
namespace {

IncarnationEnd complain(const std::string& sentence) {
  std::fprintf(stderr, "lambdacast: %s\n", sentence.c_str());
  return {app::kExitEnvironment, false};
}

std::vector<Traffic*> give_applications(rack::Rack& rack, const config::Config& config) {
  std::vector<Traffic*> applications;
  for (size_t i = 0; i < rack.size(); ++i) {
    rack::Endpoint& endpoint = rack.endpoint(i);
    auto application = std::make_unique<Traffic>(config.endpoints[i].traffic, endpoint);
    applications.push_back(application.get());
    rack.set_application(i, std::move(application));
    std::printf("%s: port %s, multicast by %s\n", config.endpoints[i].name.c_str(),
                endpoint.port().name().c_str(), dpdk::name(endpoint.multicast_filter()));
  }
  return applications;
}

void end_capture(rack::Capture& capture, Session& session) {
  if (!capture.running()) return;
  const rack::CaptureReport report = capture.stop();
  session.watch_capture();
  std::fputs(console::report(report).c_str(), stdout);
}

// True: every packet is accounted for.
bool judge(rack::Rack& rack, const std::vector<Traffic*>& applications) {
  const rack::RackAccount end = account_of(rack);
  const Verdict judged = verdict(rack, end);
  std::printf("%s%s%s%s", lcore_table(rack).c_str(), neighbor_table(rack, end).c_str(),
              reliability_report(end, applications).c_str(), judged.text.c_str());
  std::fflush(stdout);
  return judged.accounted;
}

}  // namespace

IncarnationEnd run_incarnation(const config::Config& config, const Options& options,
                               uint32_t incarnation, std::optional<double> run_for_s,
                               dpdk::StopSignal& stop) {
  auto created = rack::Rack::create(config, {incarnation, 0});
  if (!created) return complain(created.error().message);
  rack::Rack& rack = **created;
  const std::vector<Traffic*> applications = give_applications(rack, config);
  std::fputs(network_introduction(rack).c_str(), stdout);
  rack::Capture capture;
  if (!options.capture_file.empty()) {
    const auto begun = capture.start(rack, options.capture_file,
                                     {options.capture_snap_bytes, options.capture_endpoint});
    if (!begun) return complain(begun.error().message);
  }
  std::printf("ICRC by %s\n", dpdk::icrc_choice().text().c_str());
  if (auto started = rack.start(); !started) return complain(started.error().message);
  std::fflush(stdout);  // who waits for the introduction may read a file
  const telemetry::Source source{rack, config};
  std::optional<telemetry::Server> server(source);
  Session session(source, applications, capture, options, stop);
  session.run(run_for_s);
  for (Traffic* application : applications) application->quiesce();
  (void)settle(rack, stop);
  server.reset();
  rack.stop();
  session.watch_events();
  end_capture(capture, session);
  return {judge(rack, applications) ? app::kExitOk : app::kExitFailed, session.excluded()};
}

}  // namespace lambdacast::appliance
