// SPDX-License-Identifier: BSD-3-Clause
// As that of lib/dpdk's tests, under a name of its own: DPDK's telemetry socket is then ours,
// whatever else runs on the machine.
#include <gtest/gtest.h>
#include <rte_eal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "dpdk/eal.h"
#include "dpdk/stop_signal.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const lambdacast::dpdk::StopSignal before_any_thread;
  std::string cpus;
  for (const uint32_t cpu : lambdacast::dpdk::Machine::this_one().cpus) {
    cpus += (cpus.empty() ? "@(" : ",") + std::to_string(cpu);
  }
  const std::string prefix = "lambdacast-test-" + std::to_string(::getpid());
  std::vector<std::string> arguments = {"telemetry_test",
                                        "--no-huge",
                                        "--no-shconf",
                                        "--file-prefix=" + prefix,
                                        "-m",
                                        "512",
                                        "--no-pci",
                                        "--lcores",
                                        "(0,1,2,3)" + cpus + ")",
                                        "--main-lcore",
                                        "0",
                                        "--log-level=lib.eal:error",
                                        "--log-level=lib.telemetry:error"};
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  // In front of EAL, whose own handler takes the socket out of the directory first.
  std::atexit([] { ::rmdir(rte_eal_get_runtime_dir()); });
  if (rte_eal_init(static_cast<int>(pointers.size()), pointers.data()) < 0) {
    std::fputs("EAL does not start\n", stderr);
    return 1;
  }
  const int failed = RUN_ALL_TESTS();
  rte_eal_cleanup();
  return failed;
}
