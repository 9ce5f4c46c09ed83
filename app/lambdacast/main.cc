// lambdacast: runs the endpoints of a configuration until a signal or for a time, shows what they
// do and ends with a verdict: is every packet accounted for?
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "../command_line.h"
#include "config/config.h"
#include "dataplane/capture.h"
#include "dataplane/eal.h"
#include "dataplane/icrc_choice.h"
#include "dataplane/rack.h"
#include "dataplane/stop_signal.h"
#include "options.h"
#include "report.h"
#include "traffic.h"

namespace lambdacast::app {
namespace {

int complain(const std::string& sentence, ExitCode code) {
  std::fprintf(stderr, "lambdacast: %s\n", sentence.c_str());
  return code;
}

// Prints over the last table if a person watches.
void show(const std::string& text) {
  static size_t lines_before = 0;
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  if (terminal && lines_before != 0) std::printf("\x1b[%zuA\x1b[J", lines_before);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  lines_before = 0;
  for (const char c : text) lines_before += c == '\n' ? 1 : 0;
}

// Says once that the disk has taken no more.
void watch_capture(const dataplane::Capture& capture) {
  static bool told = false;
  const std::string error = capture.status().error;
  if (error.empty() || std::exchange(told, true)) return;
  std::fprintf(stderr, "lambdacast: %s\n", error.c_str());
}

void end_capture(dataplane::Capture& capture) {
  if (!capture.running()) return;
  watch_capture(capture);
  const dataplane::CaptureReport report = capture.stop();
  watch_capture(capture);
  std::printf("captured %s frames, %s dropped, %s bytes in %s\n",
              with_separators(report.captured).c_str(), with_separators(report.dropped).c_str(),
              with_separators(report.written_bytes).c_str(), report.path.c_str());
}

// Runs the table until it is time to end.
void watch(dataplane::Rack& rack, const dataplane::Capture& capture, const Options& options,
           dataplane::StopSignal& stop) {
  const uint64_t start_ns = rack.clock().now_ns();
  const uint64_t end_ns =
      options.run_for_s ? start_ns + static_cast<uint64_t>(*options.run_for_s * 1e9) : ~uint64_t{0};
  const auto period_ns =
      options.stats_period_s > 0 ? static_cast<uint64_t>(options.stats_period_s * 1e9) : end_ns;
  dataplane::RackAccount before = account_of(rack);
  uint64_t next_table_ns = period_ns == end_ns ? end_ns : start_ns + period_ns;
  while (!stop.came()) {
    const uint64_t now_ns = rack.clock().now_ns();
    if (now_ns >= end_ns) return;
    if (now_ns >= next_table_ns) {
      dataplane::RackAccount now = account_of(rack);
      show(table(rack, before, now));
      before = std::move(now);
      next_table_ns += period_ns;
      continue;
    }
    watch_capture(capture);
    const uint64_t until_ns = std::min(end_ns, next_table_ns) - now_ns;
    stop.wait_ms(std::min<uint64_t>(until_ns / 1'000'000 + 1, 1000));
  }
}

int run(const CommandLine& line, const Options& options, const config::Config& config) {
  dataplane::StopSignal stop;
  std::vector<std::string> user = line.eal;
  user.insert(user.end(), config.eal_args.begin(), config.eal_args.end());
  const auto arguments = dataplane::eal_arguments(config, user, dataplane::Machine::this_one());
  if (!arguments.note.empty()) std::fprintf(stderr, "lambdacast: %s\n", arguments.note.c_str());
  auto eal = dataplane::Eal::start(line.program, arguments);
  if (!eal) return complain(eal.error().message, kExitEnvironment);

  auto created = dataplane::Rack::create(config, {incarnation_now(), 0});
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
  watch(rack, capture, options, stop);
  for (Traffic* application : applications) application->quiesce();
  (void)settle(rack, stop);
  rack.stop();
  end_capture(capture);
  const Verdict judged = verdict(rack, account_of(rack));
  std::printf("%s%s", lcore_table(rack).c_str(), judged.text.c_str());
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
