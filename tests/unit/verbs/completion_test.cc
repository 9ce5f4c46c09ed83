// SPDX-License-Identifier: BSD-3-Clause
#include "completion.h"

#include <gtest/gtest.h>

#include <array>

namespace lambdacast::verbs {
namespace {

using Pushed = CompletionQueue::Pushed;

ibv_wc completion(uint64_t id, uint32_t qp_num = 1) {
  ibv_wc wc{};
  wc.wr_id = id;
  wc.qp_num = qp_num;
  return wc;
}

TEST(Completion, ComesInOrderAcrossTheEndOfTheRing) {
  CompletionQueue cq(3);
  std::array<ibv_wc, 4> out;
  uint64_t next = 0;
  for (uint64_t id = 0; id < 20; id += 2) {
    EXPECT_EQ(cq.push(completion(id), false), Pushed::kQuiet);
    EXPECT_EQ(cq.push(completion(id + 1), false), Pushed::kQuiet);
    ASSERT_EQ(cq.poll(4, out.data()), 2);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(out[static_cast<size_t>(i)].wr_id, next++);
  }
}

TEST(Completion, ThatFindsNoRoomIsAnOverrun) {
  CompletionQueue cq(2);
  EXPECT_EQ(cq.push(completion(0), false), Pushed::kQuiet);
  EXPECT_EQ(cq.push(completion(1), false), Pushed::kQuiet);
  EXPECT_EQ(cq.push(completion(2), false), Pushed::kOverrun);
  std::array<ibv_wc, 4> out;
  EXPECT_EQ(cq.poll(4, out.data()), 2);
  EXPECT_EQ(out[1].wr_id, 1u);
}

TEST(Completion, RaisesOneEventWhenArmed) {
  CompletionQueue cq(8);
  EXPECT_EQ(cq.push(completion(0), true), Pushed::kQuiet);
  cq.armed = Armed::kForAny;
  EXPECT_EQ(cq.push(completion(1), false), Pushed::kEvent);
  EXPECT_EQ(cq.push(completion(2), false), Pushed::kQuiet);
}

TEST(Completion, RaisesAnEventForTheSolicitedAlone) {
  CompletionQueue cq(8);
  cq.armed = Armed::kForSolicited;
  EXPECT_EQ(cq.push(completion(0), false), Pushed::kQuiet);
  EXPECT_EQ(cq.push(completion(1), true), Pushed::kEvent);
  EXPECT_EQ(cq.push(completion(2), true), Pushed::kQuiet);
}

TEST(Completion, OfAQueuePairIsForgottenWithIt) {
  CompletionQueue cq(4);
  for (uint64_t id = 0; id < 4; ++id) {
    EXPECT_EQ(cq.push(completion(id, id % 2 == 0 ? 7 : 8), false), Pushed::kQuiet);
  }
  cq.forget(7);
  std::array<ibv_wc, 4> out;
  ASSERT_EQ(cq.poll(4, out.data()), 2);
  EXPECT_EQ(out[0].wr_id, 1u);
  EXPECT_EQ(out[1].wr_id, 3u);
}

}  // namespace
}  // namespace lambdacast::verbs
