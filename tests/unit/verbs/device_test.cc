// SPDX-License-Identifier: BSD-3-Clause
#include "device.h"

#include <set>

#include "support.h"

namespace lambdacast::verbs {
namespace {

using DeviceTest = test::Verbs;

TEST_F(DeviceTest, IsThereForAsLongAsAContextIs) {
  EXPECT_TRUE(device().can_be());
  EXPECT_EQ(device().usable(), 0);
  int devices = 0;
  ibv_device** list = ::ibv_get_device_list(&devices);
  ibv_context* second = ::ibv_open_device(list[0]);
  ::ibv_free_device_list(list);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(::ibv_close_device(second), 0);
  EXPECT_EQ(device().usable(), 0);  // the test's own is still open
  ibv_device other{};
  EXPECT_EQ(::ibv_open_device(&other), nullptr);
  EXPECT_EQ(errno, ENODEV);
}

TEST_F(DeviceTest, GivesQueuePairsNumbersThatNobodyHas) {
  std::set<uint32_t> numbers;
  for (int i = 0; i < 100; ++i) {
    const uint32_t number = create()->qp_num;
    EXPECT_GE(number, 2u);  // below are management's
    EXPECT_LE(number, 0x7fffffu);
    EXPECT_TRUE(numbers.insert(number).second);
  }
}

TEST_F(DeviceTest, GivesNoNumberASecondTimeSoon) {
  ibv_qp_init_attr a = plain();
  ibv_qp* first = ::ibv_create_qp(pd, &a);
  ASSERT_NE(first, nullptr);
  const uint32_t number = first->qp_num;
  ASSERT_EQ(::ibv_destroy_qp(first), 0);
  EXPECT_NE(create()->qp_num, number);
}

TEST_F(DeviceTest, HasAsManyQueuePairsAsItSaysAndNoMore) {
  ibv_qp_init_attr a = plain();
  a.cap = {1, 1, 1, 1, 0};
  std::vector<ibv_qp*> all;
  while (ibv_qp* qp = ::ibv_create_qp(pd, &a)) all.push_back(qp);
  EXPECT_EQ(errno, ENOMEM);
  ibv_device_attr attributes;
  ASSERT_EQ(::ibv_query_device(context, &attributes), 0);
  EXPECT_EQ(all.size(), static_cast<size_t>(attributes.max_qp));
  for (ibv_qp* qp : all) EXPECT_EQ(::ibv_destroy_qp(qp), 0);
  EXPECT_NE(create(), nullptr);
}

TEST_F(DeviceTest, AQueuePairInErrorFlushesWhatIsPosted) {
  ibv_qp* qp = ready();
  ASSERT_EQ(receive(qp, 1, 0, 100), 0);
  ASSERT_EQ(receive(qp, 2, 100, 100), 0);
  ASSERT_EQ(step(qp, IBV_QPS_ERR, 0), 0);
  ASSERT_EQ(receive(qp, 3, 0, 100), 0);
  ASSERT_EQ(send(qp, 4, {handle(own()), qp->qp_num, 8}), 0);
  const auto all = completions();
  ASSERT_EQ(all.size(), 4u);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].wr_id, i + 1);
    EXPECT_EQ(all[i].status, IBV_WC_WR_FLUSH_ERR);
  }
}

TEST_F(DeviceTest, WhatADestroyedQueuePairHasSentCompletesNowhere) {
  ibv_qp_init_attr a = plain();
  ibv_qp* qp = ::ibv_create_qp(pd, &a);
  ASSERT_NE(qp, nullptr);
  make_ready(qp);
  ASSERT_EQ(send(qp, 1, {handle(own()), 0x123456, 8}), 0);
  ASSERT_EQ(::ibv_destroy_qp(qp), 0);
  EXPECT_TRUE(completions().empty());
}

}  // namespace
}  // namespace lambdacast::verbs
