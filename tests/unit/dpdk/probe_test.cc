// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/probe.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace lambdacast::dpdk {
namespace {

TEST(ProbeTest, work_under_another_number__expect_its_memory_and_its_files_here) {
  const pid_t here = ::getpid();
  pid_t there = here;
  int file = -1;
  const int result = under_another_number([&] {
    there = ::getpid();
    file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return 42;
  });
  EXPECT_EQ(result, 42);
  EXPECT_NE(there, here);
  EXPECT_EQ(::getpid(), here);
  ASSERT_GE(file, 0);
  EXPECT_EQ(::close(file), 0);
}

TEST(ProbeTest, work_twice_under_another_number__expect_no_process_left) {
  EXPECT_EQ(under_another_number([] { return -7; }), -7);
  EXPECT_EQ(under_another_number([] { return 0; }), 0);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ProbeTest, probe_a_device_of_no_driver__expect_an_error) {
  std::string said;
  EXPECT_NE(probe("net_nobody0", "net_nobody: ", said), 0);
}

TEST(ProbeTest, probe_a_device__expect_it_without_a_word) {
  std::string said = "before";
  EXPECT_EQ(probe("net_null_probed", "net_null: ", said), 0);
  EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace lambdacast::dpdk
