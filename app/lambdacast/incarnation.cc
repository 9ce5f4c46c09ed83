// SPDX-License-Identifier: BSD-3-Clause
#include "incarnation.h"

#include <memory>
#include <string>
#include <vector>

#include "base/plain_text.h"
#include "console/capture.h"
#include "dpdk/icrc_choice.h"
#include "network.h"
#include "rack/capture.h"
#include "rack/rack.h"
#include "report.h"
#include "telemetry/server.h"
#include "traffic.h"

namespace lambdacast::appliance {
namespace {

IncarnationEnd complain(Outputs& outputs, const std::string& sentence) {
  outputs.complain(sentence);
  return {app::kExitEnvironment, false, {}, {}};
}

std::vector<Traffic*> give_applications(rack::Rack& rack, const config::Config& config,
                                        Outputs& outputs) {
  std::vector<Traffic*> applications;
  for (size_t i = 0; i < rack.size(); ++i) {
    rack::Endpoint& endpoint = rack.endpoint(i);
    auto application = std::make_unique<Traffic>(config.endpoints[i].traffic, endpoint);
    applications.push_back(application.get());
    rack.set_application(i, std::move(application));
    outputs.out.print(config.endpoints[i].name + ": port " + endpoint.port().name() +
                      ", multicast by " + dpdk::name(endpoint.multicast_filter()) + "\n");
  }
  return applications;
}

void end_capture(rack::Capture& capture, Session& session, Outputs& outputs) {
  if (!capture.running()) return;
  const rack::CaptureReport report = capture.stop();
  session.watch_capture();
  outputs.out.print(base::shown_lines(console::report(report)));
}

app::ExitCode judge(rack::Rack& rack, const std::vector<Traffic*>& applications,
                    uint64_t exclusions, Outputs& outputs) {
  const rack::RackAccount end = account_of(rack);
  const Trouble trouble = trouble_of(end, applications, exclusions);
  const Verdict judged = verdict(rack, end, trouble);
  outputs.out.print(lcore_table(rack) + neighbor_table(rack, end) +
                    reliability_report(end, applications) + judged.text);
  if (!judged.accounted) return app::kExitFailed;
  return trouble.any() ? app::kExitTrouble : app::kExitOk;
}

}  // namespace

IncarnationEnd run_incarnation(const config::Config& config, const Session::Surroundings& around,
                               uint32_t incarnation, std::optional<double> run_for_s) {
  const Options& options = around.options;
  Outputs& outputs = around.outputs;
  auto created = rack::Rack::create(config, {.incarnation = incarnation, .listens = true});
  if (!created) return complain(outputs, created.error().message);
  rack::Rack& rack = **created;
  const std::vector<Traffic*> applications = give_applications(rack, config, outputs);
  outputs.out.print(network_introduction(rack));
  rack::Capture capture;
  if (!options.capture_file.empty()) {
    const auto begun = capture.start(rack, options.capture_file,
                                     {options.capture_snap_bytes, options.capture_endpoint});
    if (!begun) return complain(outputs, begun.error().message);
  }
  outputs.out.print("ICRC by " + dpdk::icrc_choice().text() + "\n");
  if (auto started = rack.start(); !started) return complain(outputs, started.error().message);
  const telemetry::Source source{rack, config};
  std::optional<telemetry::Server> server(source);
  Session session(source, applications, capture, around);
  session.run(run_for_s);
  if (!session.starts_over()) session.stopping();
  for (Traffic* application : applications) application->quiesce();
  (void)settle(rack, around.stop);
  server.reset();
  rack.stop();
  session.watch_events();
  end_capture(capture, session, outputs);
  return {judge(rack, applications, session.exclusions(), outputs), session.exclusions() != 0,
          session.lost_port(), session.gave_way()};
}

}  // namespace lambdacast::appliance
