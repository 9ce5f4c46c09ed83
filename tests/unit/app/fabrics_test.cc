// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/fabrics.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "fabric/file_owner.h"

namespace lambdacast::appliance {
namespace {

TEST(FabricsTest, none__expect_a_sentence) { EXPECT_EQ(text({}), "no fabrics\n"); }

TEST(FabricsTest, live_and_stale__expect_owner_size_user_and_files_of_each) {
  const std::string me = fabric::user_name(::geteuid());
  const std::vector<fabric::FabricFiles> all = {
      {"rack4", ::geteuid(), true, ::getpid(), (1 << 20) + 1, {"/dev/shm/odbss.rack4"}},
      {"", ::geteuid(), false, 0, 1, {"/dev/hugepages/odbss-data-1", "/x\n"}}};
  EXPECT_EQ(text(all), "fabric rack4, " + me +
                           ", 2 MiB, live: this process uses it: /dev/shm/odbss.rack4\n"
                           "data without a fabric, " +
                           me + ", 1 MiB, stale: /dev/hugepages/odbss-data-1 /x\\x0a\n");
}

}  // namespace
}  // namespace lambdacast::appliance
