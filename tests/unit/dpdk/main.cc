// SPDX-License-Identifier: BSD-3-Clause
// Starts EAL once for all tests of lib/dpdk and lib/rack: without hugepages or files, with three
// worker lcores that float over the machine's CPUs.
#include <gtest/gtest.h>
#include <rte_eal.h>

#include <cstdio>
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
  std::vector<std::string> arguments = {"dpdk_test",
                                        "--no-huge",
                                        "--no-shconf",
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
  if (rte_eal_init(static_cast<int>(pointers.size()), pointers.data()) < 0) {
    std::fputs("EAL does not start\n", stderr);
    return 1;
  }
  const int failed = RUN_ALL_TESTS();
  rte_eal_cleanup();
  return failed;
}
