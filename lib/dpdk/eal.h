// SPDX-License-Identifier: BSD-3-Clause
// EAL with arguments that suit an appliance: hugepages if the machine has them, no files left
// behind, lcores as the configuration maps stages to them, the main lcore free for control.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"

namespace lambdacast::dpdk {

// The arguments for rte_eal_init, and a note about them.
struct EalArguments {
  std::vector<std::string> arguments;
  bool hugepages = false;  // chosen here: EAL fails where too few are left
  std::string note;  // "" or one sentence: hugepages are missing, with the command that mends it
};

// Facts of the machine that the choice depends on; passed in so that tests can choose them.
struct Machine {
  std::vector<uint32_t> cpus;  // this process may run on
  uint64_t free_hugepage_bytes = 0;

  [[nodiscard]] static Machine this_one();
  [[nodiscard]] Machine without_hugepages() const { return {cpus, 0}; }
};

// `user` is what stood before `--` and the configuration's [eal] args: it wins wherever it speaks.
// Otherwise lcore ids are spread over the machine's CPUs in turn (more lcores than CPUs is fine),
// an unused id floats over all of them as main lcore, and memory is in hugepages without files, or
// plain if too few are free. Hugepages are taken when EAL starts, which fails if others were
// faster; Machine::without_hugepages() then has what to do.
[[nodiscard]] EalArguments eal_arguments(const config::Config& config,
                                         const std::vector<std::string>& user,
                                         const Machine& machine);

// Memory that the endpoints of a configuration need, in bytes, with room for DPDK's own.
[[nodiscard]] uint64_t memory_bytes(const config::Config& config);

// Why telemetry has no socket although EAL runs, with what mends it; "": it has a place for one.
// `directory` is the one that EAL has made, `parent` where it was to be.
[[nodiscard]] std::string telemetry_trouble(const std::string& directory,
                                            const std::string& parent);
// The same for this process.
[[nodiscard]] std::string telemetry_trouble();

// EAL runs while an object of this class lives. A process has at most one.
class Eal {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Eal>> start(const std::string& program,
                                                                const EalArguments& arguments);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

 private:
  Eal() = default;
};

}  // namespace lambdacast::dpdk
