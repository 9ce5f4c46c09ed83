// SPDX-License-Identifier: BSD-3-Clause
#include "host_check.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>

#include "base/joined.h"
#include "base/plain_text.h"
#include "dpdk/eal.h"

namespace lambdacast::appliance {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kHugepageBytes = 2 * kMiB;
constexpr uint64_t kUnlimited = ~uint64_t{0};
const std::string kHugepages = "sys/kernel/mm/hugepages/hugepages-2048kB/";

bool is_pci_address(const std::string& port) {
  return port.size() >= 12 && port[4] == ':' && port[7] == ':' && port[10] == '.';
}

// The interface of an af_packet port; empty: the port is something else.
std::string interface_of(const std::string& port) {
  constexpr std::string_view kKey = "iface=";
  const size_t at = port.find(kKey);
  if (!port.starts_with("net_af_packet") || at == std::string::npos) return {};
  const std::string name = port.substr(at + kKey.size());
  return name.substr(0, name.find(','));
}

class Check {
 public:
  Check(const HostFiles& files, const HostLimits& limits, const config::Config& config)
      : files_(files), limits_(limits), config_(config) {}

  std::vector<Finding> run() {
    hugepages();
    shared_memory();
    cores();
    governor();
    clock();
    for (const config::Endpoint& endpoint : config_.endpoints) port(endpoint);
    return std::move(findings_);
  }

 private:
  void add(std::string subject, Grade grade, std::string sentence, std::string remedy = {}) {
    findings_.push_back({std::move(subject), grade, std::move(sentence), std::move(remedy)});
  }

  void hugepages() {
    const uint64_t needed = dpdk::memory_bytes(config_) / kHugepageBytes + 1;
    const uint64_t free = files_.number(kHugepages + "free_hugepages").value_or(0);
    if (free < needed) {
      const uint64_t all = files_.number(kHugepages + "nr_hugepages").value_or(0);
      return add(
          "hugepages", Grade::kSlow,
          fmt::format("{} of 2 MiB are free, {} are needed: it runs without, slower", free, needed),
          fmt::format("sysctl -w vm.nr_hugepages={}", all + needed - free));
    }
    add("hugepages", Grade::kGood,
        fmt::format("{} of 2 MiB are free, {} are needed", free, needed));
    if (config_.fabric && files_.mount_point("hugetlbfs").empty()) {
      add("hugetlbfs", Grade::kSlow, "none is mounted: the fabric's frames lie in plain memory",
          "mount -t hugetlbfs nodev /dev/hugepages");
    }
  }

  void shared_memory() {
    if (!config_.fabric || !files_.mount_point("hugetlbfs").empty()) return;
    const uint64_t needed =
        uint64_t{config_.fabric->wavelengths} * config_.fabric->slots * config_.fabric->frame_bytes;
    const bool enough = limits_.shared_memory_bytes >= needed;
    add("/dev/shm", enough ? Grade::kGood : Grade::kWrong,
        fmt::format("{} MiB are free, the fabric may need {}", limits_.shared_memory_bytes / kMiB,
                    needed / kMiB + 1),
        enough ? "" : fmt::format("mount -o remount,size={}m /dev/shm", 2 * (needed / kMiB + 1)));
  }

  void cores() {
    const size_t lcores = config_.lcores.size();
    if (lcores > limits_.cpus.size()) {
      add("cores", Grade::kSlow,
          fmt::format("{} lcores share {} CPUs", lcores, limits_.cpus.size()),
          "give the lcores that share one idle = \"sleep\", or use fewer");
    }
    const std::vector<uint32_t> isolated = files_.cpus("sys/devices/system/cpu/isolated");
    std::vector<std::string> shared;
    for (size_t i = 0; i < lcores && i < limits_.cpus.size(); ++i) {
      const uint32_t cpu = limits_.cpus[i];
      if (config_.lcores[i].idle == config::IdlePolicy::kSleep) continue;
      if (std::find(isolated.begin(), isolated.end(), cpu) == isolated.end())
        shared.push_back(std::to_string(cpu));
    }
    if (shared.empty()) {
      return add("isolation", Grade::kGood, "no lcore that polls shares its CPU with other tasks");
    }
    const std::string list = base::joined(shared, ",");
    add("isolation", Grade::kSlow,
        fmt::format("the kernel gives other tasks to CPU {}, where lcores poll", list),
        fmt::format("isolcpus={0} nohz_full={0} rcu_nocbs={0} on the kernel's command line", list));
  }

  void governor() {
    std::vector<std::string> slow;
    for (const uint32_t cpu : limits_.cpus) {
      const std::string governor =
          files_.line(fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu));
      if (!governor.empty() && governor != "performance") {
        slow.push_back(fmt::format("{} ({})", cpu, base::shown(governor)));
      }
    }
    if (slow.empty()) return add("governor", Grade::kGood, "no CPU saves power by its frequency");
    add("governor", Grade::kSlow, "CPU " + base::joined(slow, ", ") + " saves power",
        "cpupower frequency-set -g performance");
  }

  void clock() {
    const std::string source =
        files_.line("sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (source.empty() || source == "tsc" || source == "kvm-clock") {
      return add("clock", Grade::kGood, "the kernel reads its clock without a system call");
    }
    add("clock", Grade::kSlow, "the clock source is " + base::shown(source),
        "tsc=reliable on the kernel's command line, if the CPU's counter is invariant");
  }

  void port(const config::Endpoint& endpoint) {
    if (endpoint.port.empty()) return;
    if (is_pci_address(endpoint.port)) return pci(endpoint);
    if (endpoint.port.starts_with("verbs:")) return verbs(endpoint);
    if (const std::string name = interface_of(endpoint.port); !name.empty())
      interface(endpoint, name);
  }

  void pci(const config::Endpoint& endpoint) {
    const std::string address = endpoint.port.substr(0, endpoint.port.find(','));
    const std::string device = "sys/bus/pci/devices/" + address;
    if (!files_.exists(device)) {
      return add(endpoint.name, Grade::kWrong, "there is no PCI device " + base::shown(address),
                 "dpdk-devbind.py --status lists those that are there");
    }
    const std::string driver = files_.target(device + "/driver");
    const bool bifurcated = driver.starts_with("mlx") || driver == "mana";
    if (bifurcated || driver == "uio_pci_generic" || driver == "igb_uio") {
      return add(endpoint.name, Grade::kGood, address + " has driver " + driver);
    }
    if (driver != "vfio-pci") {
      return add(endpoint.name, Grade::kWrong,
                 address + (driver.empty() ? " has no driver"
                                           : " has the kernel's driver " + base::shown(driver)),
                 "dpdk-devbind.py -b vfio-pci " + address);
    }
    const bool iommu = !files_.names("sys/kernel/iommu_groups").empty();
    add(endpoint.name, iommu ? Grade::kGood : Grade::kWrong,
        address + (iommu ? " has driver vfio-pci and an IOMMU" : " has vfio-pci and no IOMMU"),
        iommu ? "" : "intel_iommu=on iommu=pt (or amd_iommu=on) on the kernel's command line");
    locked_memory(endpoint);
  }

  void verbs(const config::Endpoint& endpoint) {
    const std::string rest = endpoint.port.substr(std::string_view("verbs:").size());
    const std::string device = rest.substr(0, rest.find_first_of("/,"));
    if (!files_.exists("sys/class/infiniband/" + device)) {
      return add(endpoint.name, Grade::kWrong, "there is no verbs device " + base::shown(device),
                 "ibv_devices lists those that are there; modprobe rdma_rxe for Soft-RoCE");
    }
    add(endpoint.name, Grade::kGood, "verbs device " + device + " is there");
    locked_memory(endpoint);
  }

  void locked_memory(const config::Endpoint& endpoint) {
    const uint64_t needed = dpdk::memory_bytes(config_);
    if (limits_.locked_bytes >= needed) return;
    add(endpoint.name, Grade::kWrong,
        fmt::format("{} MiB of memory may be locked, {} are needed", limits_.locked_bytes / kMiB,
                    needed / kMiB + 1),
        "ulimit -l unlimited, or LimitMEMLOCK=infinity in a unit");
  }

  void interface(const config::Endpoint& endpoint, const std::string& name) {
    const std::string device = "sys/class/net/" + name;
    const std::string shown = base::shown(name);
    if (!files_.exists(device)) {
      return add(endpoint.name, Grade::kWrong, "there is no interface " + shown,
                 "ip link lists those that are there");
    }
    const uint64_t mtu = files_.number(device + "/mtu").value_or(0);
    const uint64_t needed = endpoint.path_mtu + config::kMaxFrameOverheadBytes - kEthernetBytes;
    if (mtu < needed) {
      add(endpoint.name, Grade::kWrong,
          fmt::format("{} has an MTU of {}, path_mtu = {} needs {}", shown, mtu, endpoint.path_mtu,
                      needed),
          fmt::format("ip link set {} mtu {}, or a shorter path_mtu", shown, needed));
    }
    if (files_.line(device + "/operstate") == "down") {
      add(endpoint.name, Grade::kWrong, shown + " is down", "ip link set " + shown + " up");
    }
    snooping(endpoint, files_.target(device + "/master"));
    if (mtu >= needed)
      add(endpoint.name, Grade::kGood, fmt::format("{} has an MTU of {}", shown, mtu));
  }

  // A bridge that snoops and hears no querier forgets groups after some minutes.
  void snooping(const config::Endpoint& endpoint, const std::string& bridge) {
    const std::string device = "sys/class/net/" + bridge + "/bridge/";
    if (bridge.empty() || files_.number(device + "multicast_snooping").value_or(0) == 0) return;
    if (files_.number(device + "multicast_querier").value_or(0) != 0) return;
    add(endpoint.name, Grade::kSlow,
        "bridge " + base::shown(bridge) +
            " filters multicast and asks nobody: without another querier it forgets the groups",
        "ip link set " + base::shown(bridge) + " type bridge mcast_querier 1");
  }

  static constexpr uint64_t kEthernetBytes = 18;

  const HostFiles& files_;
  const HostLimits& limits_;
  const config::Config& config_;
  std::vector<Finding> findings_;
};

}  // namespace

HostLimits HostLimits::of_this_process() {
  HostLimits limits;
  rlimit locked{};
  ::getrlimit(RLIMIT_MEMLOCK, &locked);
  limits.locked_bytes = locked.rlim_cur == RLIM_INFINITY ? kUnlimited : locked.rlim_cur;
  limits.cpus = dpdk::Machine::this_one().cpus;
  struct statvfs room {};
  if (::statvfs("/dev/shm", &room) == 0)
    limits.shared_memory_bytes = uint64_t{room.f_bavail} * room.f_frsize;
  return limits;
}

std::vector<Finding> check_host(const HostFiles& files, const HostLimits& limits,
                                const config::Config& config) {
  return Check(files, limits, config).run();
}

std::string text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    const char* grade = finding.grade == Grade::kGood   ? "good "
                        : finding.grade == Grade::kSlow ? "slow "
                                                        : "wrong";
    out += fmt::format("{}  {}: {}\n", grade, finding.subject, finding.sentence);
    if (!finding.remedy.empty()) out += fmt::format("       to mend: {}\n", finding.remedy);
  }
  return out;
}

bool any_wrong(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.grade == Grade::kWrong; });
}

}  // namespace lambdacast::appliance
