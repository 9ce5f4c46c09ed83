// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/inventory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fabric/fabric_files.h"
#include "support.h"

namespace lambdacast::fabric {
namespace {

class InventoryTest : public ::testing::Test {
 protected:
  AttachOptions options() {
    AttachOptions out;
    out.directories = directories_.both();
    return out;
  }
  // A process that used the fabric and was killed.
  void leave_behind(const std::string& name) {
    test::Child user([&](test::Child& parent) {
      const auto fabric = Fabric::attach(name, options());
      if (!fabric) return 1;
      parent.tell();
      ::raise(SIGKILL);
      return 0;
    });
    ASSERT_TRUE(user.wait());
  }
  test::Directories directories_;
};

TEST_F(InventoryTest, nothing_there__expect_none) {
  EXPECT_TRUE(inventory(directories_.both()).empty());
}

TEST_F(InventoryTest, one_in_use_and_one_left_behind__expect_each_with_its_files_and_state) {
  leave_behind("dead");
  const auto used = Fabric::attach("used", options());
  ASSERT_TRUE(used) << used.error().message;
  const auto all = inventory(directories_.both());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "dead");
  EXPECT_FALSE(all[0].live);
  EXPECT_EQ(all[0].paths.size(), 2u);
  EXPECT_GT(all[0].bytes, (*used)->geometry().segment_bytes() / 2);
  EXPECT_EQ(all[1].name, "used");
  EXPECT_TRUE(all[1].live);
  EXPECT_EQ(all[1].owner, ::geteuid());
}

TEST_F(InventoryTest, remove_what_is_stale__expect_its_files_gone_and_the_used_one_kept) {
  leave_behind("dead");
  const auto used = Fabric::attach("used", options());
  ASSERT_TRUE(used);
  const auto all = inventory(directories_.both());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(remove_stale(all[0]));
  const auto refused = remove_stale(all[1]);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.ends_with("odbss.used is in use")) << refused.error().message;
  EXPECT_EQ(directories_.files(), 2u);
  EXPECT_EQ(inventory(directories_.both()).size(), 1u);
}

TEST_F(InventoryTest, data_whose_control_file_is_gone__expect_it_listed_and_removed) {
  const std::string data = directories_.shm() + "/" + data_stem("lost");
  std::ofstream(data) << "frames";
  const auto all = inventory(directories_.both());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "");
  EXPECT_EQ(all[0].bytes, 6u);
  EXPECT_TRUE(remove_stale(all[0]));
  EXPECT_EQ(directories_.files(), 0u);
}

}  // namespace
}  // namespace lambdacast::fabric
