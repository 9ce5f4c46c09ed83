// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/eal_failure.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <sstream>

namespace lambdacast::dpdk {
namespace {

const std::vector<std::string> kQuiet = {"--huge-dir=/mnt", "--log-level=lib.eal:error"};
constexpr char kLog[] =
    "EAL: get_seg_fd(): open '/mnt/rtemap_0' failed: Read-only file system\n"
    "EAL: Couldn't get fd on hugepage file\n";

TEST(EalFailureTest, read_the_table_of_mounts__expect_each_hugetlbfs_and_whether_it_is_read_only) {
  std::istringstream mounts(
      "proc /proc proc ro 0 0\n"
      "none /dev/hugepages hugetlbfs rw,relatime,pagesize=2M 0 0\n"
      "none /mnt hugetlbfs ro,relatime 0 0\n"
      "none /x hugetlbfs rw,mode=ro 0 0\n");
  const std::vector<HugetlbMount> wanted = {
      {"/dev/hugepages", false}, {"/mnt", true}, {"/x", false}};
  EXPECT_EQ(hugetlb_mounts(mounts), wanted);
}

TEST(EalFailureTest, have_a_read_only_hugetlbfs__expect_the_cause_and_what_mends_it) {
  EXPECT_EQ(eal_failure(kQuiet, kLog, 0, {{"/dev/hugepages", false}, {"/mnt", true}}),
            "EAL does not start (open '/mnt/rtemap_0' failed: Read-only file system) with "
            "--huge-dir=/mnt --log-level=lib.eal:error; /mnt is read-only. To mend: mount -o "
            "remount,rw /mnt, or give --in-memory in place of --huge-dir");
}

TEST(EalFailureTest, have_no_hugetlbfs__expect_the_command_that_mounts_one) {
  EXPECT_EQ(eal_failure(kQuiet, "EAL: Cannot get hugepage information.\n", EACCES, {}),
            "EAL does not start (Cannot get hugepage information) with --huge-dir=/mnt "
            "--log-level=lib.eal:error; no hugetlbfs is mounted. To mend: mount -t hugetlbfs none "
            "/dev/hugepages, or give --in-memory in place of --huge-dir");
}

TEST(EalFailureTest, need_no_hugetlbfs__expect_no_advice_about_it) {
  EXPECT_EQ(eal_failure({"--no-huge"}, "EAL: invalid -m\n", 0, {{"/mnt", true}}),
            "EAL does not start (invalid -m) with --no-huge");
}

TEST(EalFailureTest, log_everything__expect_the_last_line) {
  EXPECT_EQ(eal_failure({"--no-huge"}, "EAL: Detected CPU lcores: 2\nEAL: no way\n", 0, {}),
            "EAL does not start (no way) with --no-huge");
}

TEST(EalFailureTest, hear_nothing_of_eal__expect_its_error_and_never_success) {
  EXPECT_EQ(eal_failure({"--no-huge"}, "", ENOMEM, {}),
            "EAL does not start (Cannot allocate memory) with --no-huge");
  EXPECT_EQ(eal_failure({"--no-huge"}, "", 0, {}),
            "EAL does not start (it does not say why) with --no-huge");
}

}  // namespace
}  // namespace lambdacast::dpdk
