// SPDX-License-Identifier: BSD-3-Clause
// What the library exports: the front end calls it when LAMBDACAST_CONFIG names a file.
#include <pthread.h>
#include <rte_log.h>
#include <sched.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "bridge.h"
#include "dpdk/eal.h"
#include "endpoint_choice.h"
#include "port_bridge.h"

namespace lambdacast::verbs {
namespace {

// Leaves the calling thread as it was: where it may run, and which signals it takes. EAL's own
// threads take none.
class Unchanged {
 public:
  Unchanged() {
    known_ = ::sched_getaffinity(0, sizeof cpus_, &cpus_) == 0;
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &signals_);
  }
  ~Unchanged() {
    ::pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
    if (known_) (void)::sched_setaffinity(0, sizeof cpus_, &cpus_);
  }
  Unchanged(const Unchanged&) = delete;
  Unchanged& operator=(const Unchanged&) = delete;

 private:
  cpu_set_t cpus_;
  sigset_t signals_;
  bool known_ = false;
};

// One lcore that is nobody's thread, since progress is made by whoever calls; unless the file has
// another wish.
std::vector<std::string> own_arguments(const config::Config& config, const dpdk::Machine& machine) {
  std::vector<std::string> arguments{"--no-telemetry"};
  const bool says_lcores = std::ranges::any_of(config.eal_args, [](const std::string& argument) {
    return argument == "-l" || argument == "-c" || argument == "-s" ||
           argument.starts_with("--lcores");
  });
  if (!says_lcores) {
    std::string map = "0@(";
    for (const uint32_t cpu : machine.cpus) {
      if (map.back() != '(') map += ',';
      map += std::to_string(cpu);
    }
    arguments.insert(arguments.end(), {"--lcores", map + ')'});
  }
  arguments.insert(arguments.end(), config.eal_args.begin(), config.eal_args.end());
  return arguments;
}

// EAL starts once a process, and runs until its end: a device may be opened again.
base::Result<void> start_eal(const config::Config& config) {
  static base::Result<std::unique_ptr<dpdk::Eal>>* started = nullptr;
  if (started == nullptr) {
    const Unchanged thread;
    // DPDK 22.11 logs to standard output unless it is told.
    rte_openlog_stream(stderr);
    const dpdk::Machine machine = dpdk::Machine::this_one();
    const auto arguments = dpdk::eal_arguments(config, own_arguments(config, machine), machine);
    started = new base::Result<std::unique_ptr<dpdk::Eal>>(
        dpdk::Eal::start("lambdacast-verbs", arguments));
  }
  if (!*started) return tl::unexpected(started->error());
  return {};
}

base::Result<std::unique_ptr<PortBridge>> open(const BridgeOrder& order) {
  const auto config = choose_endpoint(order);
  if (!config) return tl::unexpected(config.error());
  if (auto running = start_eal(*config); !running) return tl::unexpected(running.error());
  const Unchanged thread;  // a driver's threads, too
  return PortBridge::open(config->endpoints.front(), order.fabric);
}

}  // namespace

extern "C" {

bool lambdacast_check_bridge(const BridgeOrder& order, std::string& error) {
  const auto config = choose_endpoint(order);
  if (!config) error = config.error().message;
  return config.has_value();
}

Bridge* lambdacast_open_bridge(const BridgeOrder& order, std::string& error) {
  auto opened = open(order);
  if (opened) return opened->release();
  error = opened.error().message;
  return nullptr;
}

}  // extern "C"

}  // namespace lambdacast::verbs
