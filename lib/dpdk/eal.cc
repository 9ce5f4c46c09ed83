// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/eal.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "dpdk/eal_failure.h"
#include "dpdk/eal_options.h"
#include "dpdk/log_capture.h"
#include "dpdk/packet.h"
#include "fabric/file_owner.h"

namespace lambdacast::dpdk {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kHugepageBytes = 2 * kMiB;
// An mbuf of ours: structure, private area, buffer, mempool header; links and tables beside it.
constexpr uint64_t kMbufBytes = 128 + 64 + kDataRoomBytes + 64;
constexpr uint64_t kOwnBytes = 64 * kMiB;
// In 4 KiB pages mbufs take nearly twice as much: DPDK lets none straddle pages it cannot follow.
constexpr uint64_t kPlainFactor = 2;

std::string cpu_set(const std::vector<uint32_t>& cpus) {
  std::string text;
  for (const uint32_t cpu : cpus) {
    text += text.empty() ? '(' : ',';
    text += std::to_string(cpu);
  }
  return text + ")";
}

// "0@0,1@1,127@(0,1)" and the main lcore's id.
std::pair<std::string, uint32_t> lcore_map(const config::Config& config, const Machine& machine) {
  std::string map;
  uint32_t main_lcore = config::kMaxLcores - 1;
  for (size_t i = 0; i < config.lcores.size(); ++i) {
    const uint32_t cpu = machine.cpus[i % machine.cpus.size()];
    map += std::to_string(config.lcores[i].id) + "@" + std::to_string(cpu) + ",";
  }
  const auto taken = [&](uint32_t id) {
    return std::any_of(config.lcores.begin(), config.lcores.end(),
                       [&](const config::Lcore& lcore) { return lcore.id == id; });
  };
  while (main_lcore != 0 && taken(main_lcore)) --main_lcore;
  return {map + std::to_string(main_lcore) + "@" + cpu_set(machine.cpus), main_lcore};
}

// A prefix only names the process's directory: with it memory is what it is without.
void add_memory(uint64_t needed, const std::vector<std::string>& user, const Machine& machine,
                EalArguments& result) {
  if (has(user, {"--in-memory", "--no-huge", "--huge-dir"})) return;
  std::vector<std::string>& arguments = result.arguments;
  if (machine.free_hugepage_bytes >= needed) {
    // Taken at once: that others take them meanwhile then shows before any port is opened.
    result.hugepages = true;
    arguments.emplace_back("--in-memory");
    if (!has(user, {"-m", "--socket-mem"})) {
      arguments.insert(arguments.end(), {"-m", std::to_string(needed / kMiB + 1)});
    }
    return;
  }
  arguments.insert(arguments.end(), {"--no-huge", "--no-shconf"});
  if (!has(user, {"-m"})) {
    arguments.insert(arguments.end(), {"-m", std::to_string(kPlainFactor * needed / kMiB + 1)});
  }
  result.note = "hugepages: " + std::to_string(machine.free_hugepage_bytes / kMiB) + " MiB free, " +
                std::to_string(needed / kMiB + 1) +
                " MiB needed; running without, slower. To mend: sysctl -w vm.nr_hugepages=" +
                std::to_string(std::max<uint64_t>(1024, 2 * needed / kHugepageBytes));
}

// As EAL finds it.
std::string runtime_parent() {
  const auto text_of = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string given = text_of("RUNTIME_DIRECTORY"); !given.empty()) return given;
  if (::getuid() == 0) return "/var/run";
  const std::string session = text_of("XDG_RUNTIME_DIR");
  return session.empty() ? "/tmp" : session;
}

}  // namespace

Machine Machine::this_one() {
  Machine machine;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) machine.cpus.push_back(cpu);
  }
  if (machine.cpus.empty()) machine.cpus.push_back(0);
  uint64_t pages = 0;
  std::ifstream("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages") >> pages;
  machine.free_hugepage_bytes = pages * kHugepageBytes;
  return machine;
}

uint64_t memory_bytes(const config::Config& config) {
  uint64_t bytes = kOwnBytes;
  for (const config::Endpoint& endpoint : config.endpoints) {
    bytes += endpoint.mbufs * kMbufBytes + endpoint.link_slots * uint64_t{4} * sizeof(void*);
  }
  return bytes + bytes / 8;
}

EalArguments eal_arguments(const config::Config& config, const std::vector<std::string>& user,
                           const Machine& machine) {
  EalArguments result;
  std::vector<std::string>& arguments = result.arguments;
  if (!has(user, {"-l", "-c", "--lcores", "-s"})) {
    const auto [map, main_lcore] = lcore_map(config, machine);
    arguments.insert(arguments.end(),
                     {"--lcores", map, "--main-lcore", std::to_string(main_lcore)});
  }
  add_memory(memory_bytes(config), user, machine, result);
  // Ports come from the configuration; without a PCI one there is nothing to scan for.
  const bool wants_pci = std::any_of(
      config.endpoints.begin(), config.endpoints.end(), [](const config::Endpoint& endpoint) {
        return !endpoint.port.empty() && !endpoint.port.starts_with("net_") &&
               !endpoint.port.starts_with("verbs:");
      });
  if (!wants_pci && !has(user, {"--no-pci", "-a", "--allow", "-b", "--block"})) {
    arguments.emplace_back("--no-pci");
  }
  if (!has(user, {"--log-level"})) {
    arguments.insert(arguments.end(),
                     {"--log-level=lib.eal:error", "--log-level=lib.telemetry:error"});
  }
  arguments.insert(arguments.end(), user.begin(), user.end());
  return result;
}

std::string telemetry_trouble(const std::string& directory, const std::string& parent) {
  if (!directory.empty() && ::access(directory.c_str(), W_OK | X_OK) == 0) return {};
  std::string place = parent;  // the last that is there
  for (const std::string& deeper : {parent + "/dpdk", directory}) {
    if (!deeper.empty() && ::access(deeper.c_str(), F_OK) == 0) place = deeper;
  }
  const auto owner = fabric::foreign_owner(place);
  const std::string whose =
      owner ? " is that of " + fabric::user_name(*owner) + " and" : std::string();
  return "telemetry has no socket: " + place + whose +
         " cannot be written; to mend: export RUNTIME_DIRECTORY=$(mktemp -d), here and for who "
         "reads it";
}

std::string telemetry_trouble() {
  return telemetry_trouble(rte_eal_get_runtime_dir(), runtime_parent());
}

base::Result<std::unique_ptr<Eal>> Eal::start(const std::string& program,
                                              const EalArguments& arguments) {
  // rte_eal_init permutes the array and keeps pointers into the strings.
  static std::vector<std::string> kept;
  kept = arguments.arguments;
  kept.insert(kept.begin(), program);
  std::vector<char*> argv;
  for (std::string& argument : kept) argv.push_back(argument.data());
  std::string log;
  bool started = false;
  {
    LogCapture capture;
    started = rte_eal_init(static_cast<int>(argv.size()), argv.data()) >= 0;
    log = capture.text();
  }
  if (!started) {
    // Some ways to start need that directory, and EAL's own reason may then be an earlier error.
    const bool no_directory = log.find("Error creating '") != std::string::npos;
    if (const std::string trouble = telemetry_trouble(); no_directory && !trouble.empty()) {
      return base::fail("EAL does not start: " + trouble);
    }
    std::ifstream mounts("/proc/mounts");
    return base::fail(eal_failure(arguments.arguments, log, rte_errno, hugetlb_mounts(mounts)));
  }
  rte_openlog_stream(nullptr);  // EAL's own from now on, the system's log included
  std::fputs(log.c_str(), stderr);
  return std::unique_ptr<Eal>(new Eal);
}

Eal::~Eal() { rte_eal_cleanup(); }

}  // namespace lambdacast::dpdk
