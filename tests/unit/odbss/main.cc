// SPDX-License-Identifier: BSD-3-Clause
// Starts EAL once for all tests of net_odbss: without hugepages or files of its own.
#include <gtest/gtest.h>
#include <rte_eal.h>

#include <cstdio>
#include <vector>

#include "support.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::vector<const char*> arguments = {"odbss_test",
                                        "--no-huge",
                                        "--no-shconf",
                                        "-m",
                                        "256",
                                        "--no-pci",
                                        "-l",
                                        "0",
                                        "--no-telemetry",
                                        "--log-level=lib.eal:error"};
  if (rte_eal_init(static_cast<int>(arguments.size()), const_cast<char**>(arguments.data())) < 0) {
    std::fputs("EAL does not start\n", stderr);
    return 1;
  }
  lambdacast::odbss::test::open_log();
  const int failed = RUN_ALL_TESTS();
  rte_eal_cleanup();
  return failed;
}
