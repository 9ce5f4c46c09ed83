// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"
#include "verbs_address_handles.h"

namespace lambdacast::net_verbs {
namespace {

class AddressHandlesTest : public ::testing::Test {
 protected:
  AddressHandlesTest()
      : device_(
            std::move(*Device::open({.device = "lambdacast0", .gid = test::gid(test::kAddress)}))) {
  }

  std::unique_ptr<Device> device_;
  AddressHandles handles_{*device_};
};

AddressHandles::Destination to(uint32_t last) {
  return {wire::gid_from_ipv4(0xef000000 | last), 0, 64};
}

TEST_F(AddressHandlesTest, unknown_destination_expect_it_made_and_found) {
  EXPECT_FALSE(handles_.wanting());
  EXPECT_EQ(handles_.find(to(1)), nullptr);
  EXPECT_EQ(handles_.find(to(1)), nullptr);
  EXPECT_TRUE(handles_.wanting());
  EXPECT_EQ(handles_.make().made, 1u);
  EXPECT_FALSE(handles_.wanting());
  EXPECT_NE(handles_.find(to(1)), nullptr);
  EXPECT_EQ(handles_.find(to(2)), nullptr);
  EXPECT_EQ(handles_.find({to(1).gid, 8, 64}), nullptr) << "of another traffic class";
  EXPECT_EQ(handles_.make().made, 2u);
  EXPECT_NE(handles_.find(to(2)), handles_.find(to(1)));
}

TEST_F(AddressHandlesTest, destination_that_cannot_be_reached_expect_it_tried_again) {
  EXPECT_EQ(handles_.find({test::gid("fd77::1"), 0, 64}), nullptr);  // of another family
  for (int i = 0; i < 3; ++i) EXPECT_EQ(handles_.make().failed, 1u);
  EXPECT_TRUE(handles_.wanting());
}

TEST_F(AddressHandlesTest, full_table_expect_it_to_keep_what_it_has) {
  for (uint32_t i = 1; i <= AddressHandles::kEntries + 5; ++i) (void)handles_.find(to(i));
  EXPECT_EQ(handles_.make().made, AddressHandles::kEntries);
  EXPECT_NE(handles_.find(to(AddressHandles::kEntries)), nullptr);
  EXPECT_EQ(handles_.find(to(AddressHandles::kEntries + 1)), nullptr);
  EXPECT_FALSE(handles_.wanting());
}

}  // namespace
}  // namespace lambdacast::net_verbs
