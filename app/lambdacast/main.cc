// lambdacast: runs the endpoints of a configuration until a signal or for a time, shows what they
// do and ends with a verdict: is every packet accounted for?
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "../command_line.h"
#include "config/config.h"
#include "console/capture.h"
#include "dataplane/capture.h"
#include "dataplane/eal.h"
#include "dataplane/icrc_choice.h"
#include "dataplane/incarnation.h"
#include "dataplane/rack.h"
#include "dataplane/stop_signal.h"
#include "network.h"
#include "options.h"
#include "report.h"
#include "session.h"
#include "telemetry/server.h"
#include "traffic.h"

namespace lambdacast::app {
namespace {

int complain(const std::string& sentence, ExitCode code) {
  std::fprintf(stderr, "lambdacast: %s\n", sentence.c_str());
  return code;
}

void end_capture(dataplane::Capture& capture, Session& session) {
  if (!capture.running()) return;
  const dataplane::CaptureReport report = capture.stop();
  session.watch_capture();
  std::fputs(console::report(report).c_str(), stdout);
}

int run(const CommandLine& line, const Options& options, const config::Config& config) {
  dataplane::StopSignal stop;
  std::vector<std::string> user = line.eal;
  user.insert(user.end(), config.eal_args.begin(), config.eal_args.end());
  const auto arguments = dataplane::eal_arguments(config, user, dataplane::Machine::this_one());
  if (!arguments.note.empty()) std::fprintf(stderr, "lambdacast: %s\n", arguments.note.c_str());
  auto eal = dataplane::Eal::start(line.program, arguments);
  if (!eal) return complain(eal.error().message, kExitEnvironment);

  auto created = dataplane::Rack::create(config, {dataplane::incarnation_now(), 0});
  if (!created) return complain(created.error().message, kExitEnvironment);
  dataplane::Rack& rack = **created;
  std::vector<Traffic*> applications;
  for (size_t i = 0; i < rack.size(); ++i) {
    auto application = std::make_unique<Traffic>(config.endpoints[i].traffic, rack.endpoint(i));
    applications.push_back(application.get());
    rack.set_application(i, std::move(application));
    std::printf("%s: port %s, multicast by %s\n", config.endpoints[i].name.c_str(),
                rack.endpoint(i).port().name().c_str(),
                dataplane::name(rack.endpoint(i).multicast_filter()));
  }
  std::fputs(network_introduction(rack).c_str(), stdout);
  dataplane::Capture capture;
  if (!options.capture_file.empty()) {
    const auto begun = capture.start(rack, options.capture_file,
                                     {options.capture_snap_bytes, options.capture_endpoint});
    if (!begun) return complain(begun.error().message, kExitEnvironment);
  }
  std::printf("ICRC by %s\n", dataplane::icrc_choice().text().c_str());
  if (auto started = rack.start(); !started) {
    return complain(started.error().message, kExitEnvironment);
  }
  std::fflush(stdout);  // who waits for the introduction may read a file
  const telemetry::Source source{rack, config};
  std::optional<telemetry::Server> server(source);
  Session session(source, applications, capture, options, stop);
  session.run();
  for (Traffic* application : applications) application->quiesce();
  (void)settle(rack, stop);
  server.reset();
  rack.stop();
  session.watch_events();
  end_capture(capture, session);
  const dataplane::RackAccount end = account_of(rack);
  const Verdict judged = verdict(rack, end);
  std::printf("%s%s%s%s", lcore_table(rack).c_str(), neighbor_table(rack, end).c_str(),
              reliability_report(end, applications).c_str(), judged.text.c_str());
  return judged.accounted ? kExitOk : kExitFailed;
}

int main(int argc, char** argv) {
  const CommandLine line = split(argc, argv);
  const auto parsed = parse_options(line.own);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  const Options& options = std::get<Options>(parsed);
  const auto config = config::load_file(options.config_file);
  if (!config) {
    std::fputs(config::text(config.error()).c_str(), stderr);
    return kExitUsage;
  }
  std::fputs(config::text(config->warnings).c_str(), stderr);
  if (options.check_config) {
    std::printf("%s: right, %zu endpoints on %zu lcores\n", options.config_file.c_str(),
                config->endpoints.size(), config->lcores.size());
    return kExitOk;
  }
  return run(line, options, *config);
}

}  // namespace
}  // namespace lambdacast::app

int main(int argc, char** argv) { return lambdacast::app::main(argc, argv); }
