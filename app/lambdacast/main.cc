// SPDX-License-Identifier: BSD-3-Clause
// lambdacast: runs the endpoints of a configuration until a signal or for a time, shows what they
// do and ends with a verdict: is every packet accounted for?
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "../command_line.h"
#include "../version_flag.h"
#include "base/plain_text.h"
#include "black_box.h"
#include "config/config.h"
#include "control_socket.h"
#include "dpdk/eal.h"
#include "dpdk/kernel_interface.h"
#include "dpdk/stop_signal.h"
#include "fabrics.h"
#include "host_check.h"
#include "incarnation.h"
#include "options.h"
#include "outputs.h"
#include "rack/incarnation.h"

namespace lambdacast::appliance {
namespace {

// The time that --run-for gives. It goes on from one incarnation to the next.
class RunTime {
 public:
  explicit RunTime(std::optional<double> seconds) : seconds_(seconds) {}

  [[nodiscard]] std::optional<double> left_s() const {
    if (!seconds_) return std::nullopt;
    const std::chrono::duration<double> run = std::chrono::steady_clock::now() - begin_;
    return std::max(*seconds_ - run.count(), 0.0);
  }

 private:
  const std::optional<double> seconds_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

app::ExitCode worse(app::ExitCode one, app::ExitCode other) {
  for (const app::ExitCode code :
       {app::kExitFailed, app::kExitEnvironment, app::kExitTrouble, app::kExitOk}) {
    if (one == code || other == code) return code;
  }
  return app::kExitFailed;
}

bool ends(const Session::Surroundings& around) {
  return around.stop.came() || (around.socket != nullptr && around.socket->drains());
}

// False: the time is over, or the end was asked for before it was back.
bool await_port(const LostPort& lost, const RunTime& time, const Session::Surroundings& around) {
  constexpr uint64_t kLookEveryMs = 100;
  const std::string why = base::shown_lines(sentence(lost)) + ": waits for it";
  around.outputs.out.print("lambdacast: " + why + "\n");
  if (around.socket != nullptr) around.socket->attach(nullptr, why);
  while (!ends(around) && time.left_s().value_or(1) > 0) {
    const auto interface = dpdk::kernel_interface(::if_nametoindex(lost.interface.c_str()));
    if (interface && interface->up) return true;
    if (around.socket != nullptr) (void)around.socket->serve();
    (void)around.stop.wait_ms(kLookEveryMs);
  }
  return false;
}

app::ExitCode run_incarnations(const config::Config& config, const Session::Surroundings& around) {
  const Options& options = around.options;
  Outputs& outputs = around.outputs;
  const RunTime time(options.run_for_s);
  app::ExitCode code = app::kExitOk;
  for (uint32_t incarnation = rack::incarnation_now();;) {
    const IncarnationEnd end = run_incarnation(config, around, incarnation, time.left_s());
    code = worse(code, end.code);
    if (!end.gave_way.empty()) {
      outputs.complain(end.gave_way);
      return worse(code, app::kExitEnvironment);
    }
    if (code == app::kExitEnvironment || ends(around)) return code;
    if (end.lost_port && !end.lost_port->may_return()) {
      outputs.complain(sentence(*end.lost_port));
      return worse(code, app::kExitEnvironment);
    }
    if (end.lost_port && !await_port(*end.lost_port, time, around)) return code;
    if (!end.lost_port && !(options.rejoin && end.excluded)) return code;
    outputs.out.print("lambdacast: starts over, as another incarnation\n");
    incarnation = rack::incarnation_after(incarnation);
  }
}

// NAME.blackbox beside NAME.sock; nowhere if there is no socket.
std::string black_box_path(const Options& options, const ControlSocket* socket) {
  if (options.black_box == "none") return {};
  if (!options.black_box.empty() || socket == nullptr) return options.black_box;
  return std::filesystem::path(socket->path()).replace_extension("blackbox").string();
}

// Nothing: hugepages that were free have been taken meanwhile, so that it has to start without.
std::optional<app::ExitCode> run(const app::CommandLine& line, const Options& options,
                                 const config::Config& config) {
  dpdk::StopSignal stop;
  Outputs outputs;  // before EAL, which binds the threads made behind it to an lcore
  const auto socket = ControlSocket::open(options, outputs);
  if (!socket) {
    outputs.complain(socket.error().message);
    return app::kExitEnvironment;
  }
  BlackBox black_box(black_box_path(options, socket->get()), app::with_version("lambdacast"));
  BlackBoxSignals signals(black_box);
  std::vector<std::string> user = line.eal;
  user.insert(user.end(), config.eal_args.begin(), config.eal_args.end());
  const dpdk::Machine machine = dpdk::Machine::this_one();
  const auto arguments =
      dpdk::eal_arguments(config, user, options.hugepages ? machine : machine.without_hugepages());
  if (!arguments.note.empty() && options.hugepages) outputs.complain(arguments.note);
  auto eal = dpdk::Eal::start(line.program, arguments);
  if (!eal) {
    if (options.hugepages && arguments.hugepages &&
        dpdk::Machine::this_one().free_hugepage_bytes < dpdk::memory_bytes(config)) {
      outputs.complain("hugepages: others took them while it started; running without, slower");
      return std::nullopt;
    }
    outputs.complain(eal.error().message);
    return app::kExitEnvironment;
  }
  if (const std::string trouble = dpdk::telemetry_trouble(); !trouble.empty()) {
    outputs.complain(trouble);
  }
  if (*socket) outputs.out.print("control socket " + base::shown((*socket)->path()) + "\n");
  const app::ExitCode code =
      run_incarnations(config, {options, stop, outputs, socket->get(), black_box, signals});
  if (*socket) (*socket)->end(code);
  return code;
}

// EAL cannot be started twice in a process.
app::ExitCode start_over_without_hugepages(int argc, char** argv) {
  std::vector<char*> again(argv, argv + argc);
  std::string plain = "--no-hugepages";
  again.push_back(plain.data());
  again.push_back(nullptr);
  ::execv("/proc/self/exe", again.data());
  std::fprintf(stderr, "lambdacast: it cannot start over: %s\n", std::strerror(errno));
  return app::kExitEnvironment;
}

int main(int argc, char** argv) {
  const app::CommandLine line = app::split(argc, argv);
  const auto parsed = parse_options(line.own);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  const Options& options = std::get<Options>(parsed);
  if (options.list_fabrics || options.remove_stale) return show_fabrics(options.remove_stale);
  const auto config = config::load_file(options.config_file);
  if (!config) {
    std::fputs(config::text(config.error()).c_str(), stderr);
    return app::kExitUsage;
  }
  std::fputs(config::text(config->warnings).c_str(), stderr);
  if (options.check_config) {
    std::printf("%s: right, %zu endpoints on %zu lcores\n",
                base::shown(options.config_file).c_str(), config->endpoints.size(),
                config->lcores.size());
    return app::kExitOk;
  }
  if (options.check_host) {
    const auto findings = check_host(HostFiles(), HostLimits::of_this_process(), *config);
    std::fputs(text(findings).c_str(), stdout);
    return any_wrong(findings) ? app::kExitEnvironment : app::kExitOk;
  }
  if (const auto code = run(line, options, *config)) return *code;
  return start_over_without_hugepages(argc, argv);
}

}  // namespace
}  // namespace lambdacast::appliance

int main(int argc, char** argv) { return lambdacast::appliance::main(argc, argv); }
