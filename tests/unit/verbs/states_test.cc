// SPDX-License-Identifier: BSD-3-Clause
#include "states.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace lambdacast::verbs {
namespace {

constexpr int kInit = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;

TEST(States, FollowOneAnother) {
  EXPECT_EQ(check_step(IBV_QPS_RESET, IBV_QPS_INIT, kInit), 0);
  EXPECT_EQ(check_step(IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_STATE), 0);
  EXPECT_EQ(check_step(IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
  EXPECT_EQ(check_step(IBV_QPS_SQE, IBV_QPS_RTS, IBV_QP_STATE), 0);
  EXPECT_EQ(check_step(IBV_QPS_RTS, IBV_QPS_RTS, IBV_QP_QKEY), 0);
}

TEST(States, WantTheirAttributes) {
  for (const int lacking : {IBV_QP_PKEY_INDEX, IBV_QP_PORT, IBV_QP_QKEY}) {
    EXPECT_EQ(check_step(IBV_QPS_RESET, IBV_QPS_INIT, kInit & ~lacking), EINVAL);
  }
  EXPECT_EQ(check_step(IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_STATE), EINVAL);
}

TEST(States, TakeNoAttributesOfOtherTransports) {
  EXPECT_EQ(check_step(IBV_QPS_RESET, IBV_QPS_INIT, kInit | IBV_QP_ACCESS_FLAGS), EINVAL);
  EXPECT_EQ(check_step(IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_STATE | IBV_QP_AV), EINVAL);
  EXPECT_EQ(check_step(IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_STATE | IBV_QP_PATH_MTU), EINVAL);
}

TEST(States, AreNotSkipped) {
  EXPECT_EQ(check_step(IBV_QPS_RESET, IBV_QPS_RTR, IBV_QP_STATE), EINVAL);
  EXPECT_EQ(check_step(IBV_QPS_RESET, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN), EINVAL);
  EXPECT_EQ(check_step(IBV_QPS_INIT, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN), EINVAL);
  EXPECT_EQ(check_step(IBV_QPS_RTS, IBV_QPS_INIT, kInit), EINVAL);
  EXPECT_EQ(check_step(IBV_QPS_ERR, IBV_QPS_RTS, IBV_QP_STATE), EINVAL);
}

TEST(States, AllLeadToResetAndError) {
  for (const auto from :
       {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQE, IBV_QPS_ERR}) {
    EXPECT_EQ(check_step(from, IBV_QPS_RESET, IBV_QP_STATE), 0);
    EXPECT_EQ(check_step(from, IBV_QPS_ERR, IBV_QP_STATE), 0);
    EXPECT_EQ(check_step(from, IBV_QPS_ERR, IBV_QP_STATE | IBV_QP_QKEY), EINVAL);
  }
}

TEST(States, DrainingIsNotSupported) {
  EXPECT_EQ(check_step(IBV_QPS_RTS, IBV_QPS_SQD, IBV_QP_STATE), EOPNOTSUPP);
}

}  // namespace
}  // namespace lambdacast::verbs
