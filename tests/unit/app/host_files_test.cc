// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/host_files.h"

#include <gtest/gtest.h>

#include "host_tree.h"

namespace lambdacast::appliance {
namespace {

TEST(HostFilesTest, read_numbers_and_lines__expect_the_first_line_alone) {
  HostTree tree;
  tree.put("sys/n", "42\n");
  tree.put("sys/text", "one\ntwo\n");
  const HostFiles files = tree.files();
  EXPECT_EQ(files.number("sys/n"), 42u);
  EXPECT_EQ(files.number("sys/text"), std::nullopt);
  EXPECT_EQ(files.number("sys/none"), std::nullopt);
  EXPECT_EQ(files.line("sys/text"), "one");
  EXPECT_EQ(files.names("sys"), (std::vector<std::string>{"n", "text"}));
}

TEST(HostFilesTest, lists_of_cpus__expect_ranges_and_what_is_none_left_out) {
  HostTree tree;
  tree.put("a", "0-2,5\n");
  tree.put("b", "\n");
  tree.put("c", "x,3,4-,7-4294967295\n");
  EXPECT_EQ(tree.files().cpus("a"), (std::vector<uint32_t>{0, 1, 2, 5}));
  EXPECT_TRUE(tree.files().cpus("b").empty());
  EXPECT_EQ(tree.files().cpus("c"), std::vector<uint32_t>{3});
}

TEST(HostFilesTest, mounts_and_links__expect_the_first_of_that_kind_and_the_last_part) {
  HostTree tree;
  tree.put("proc/mounts", "tmpfs /dev/shm tmpfs rw 0 0\nnodev /mnt/huge hugetlbfs rw 0 0\n");
  tree.link("sys/driver", "../../bus/pci/drivers/vfio-pci");
  EXPECT_EQ(tree.files().mount_point("hugetlbfs"), "/mnt/huge");
  EXPECT_EQ(tree.files().mount_point("ext4"), "");
  EXPECT_EQ(tree.files().target("sys/driver"), "vfio-pci");
  EXPECT_EQ(tree.files().target("sys/none"), "");
}

}  // namespace
}  // namespace lambdacast::appliance
