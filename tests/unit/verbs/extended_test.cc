// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::verbs {
namespace {

constexpr uint64_t kOperations = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

class Extended : public test::Verbs {
 protected:
  ibv_qp* create_extended(uint64_t operations) {
    ibv_qp_init_attr_ex a{};
    a.send_cq = a.recv_cq = cq;
    a.cap = {4, 16, 4, 4, 64};
    a.qp_type = IBV_QPT_UD;
    a.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    a.pd = pd;
    a.send_ops_flags = operations;
    return ::ibv_create_qp_ex(context, &a);
  }
  ibv_qp_ex* start(ibv_qp* qp, uint64_t id) {
    ibv_qp_ex* ex = ::ibv_qp_to_qp_ex(qp);
    ::ibv_wr_start(ex);
    ex->wr_id = id;
    ex->wr_flags = IBV_SEND_SIGNALED;
    return ex;
  }
};

TEST_F(Extended, OnlyOfAQueuePairCreatedSo) {
  EXPECT_EQ(::ibv_qp_to_qp_ex(create()), nullptr);
  EXPECT_EQ(create_extended(IBV_QP_EX_WITH_RDMA_WRITE), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
}

TEST_F(Extended, PostsSeveralAtOnce) {
  ibv_qp* qp = make_ready(keep(create_extended(kOperations)));
  ibv_ah* ah = handle(own());
  for (uint64_t i = 0; i < 3; ++i) ASSERT_EQ(receive(qp, 10 + i, 8192 + 1024 * i, 200), 0);
  ibv_qp_ex* ex = start(qp, 1);
  ::ibv_wr_send(ex);
  ::ibv_wr_set_ud_addr(ex, ah, qp->qp_num, test::kQkey);
  ::ibv_wr_set_sge(ex, mr->lkey, reinterpret_cast<uint64_t>(buffer.data() + 5), 8);
  ex->wr_id = 2;
  ::ibv_wr_send_imm(ex, 77);
  ::ibv_wr_set_ud_addr(ex, ah, qp->qp_num, test::kQkey);
  uint8_t here[3]{9, 8, 7};
  ::ibv_wr_set_inline_data(ex, here, 3);
  here[0] = 0;  // it was copied
  ex->wr_id = 3;
  ex->wr_flags = 0;
  ::ibv_wr_send(ex);
  ::ibv_wr_set_ud_addr(ex, ah, qp->qp_num, test::kQkey);
  const ibv_sge list[2]{{reinterpret_cast<uint64_t>(buffer.data()), 2, mr->lkey},
                        {reinterpret_cast<uint64_t>(buffer.data() + 100), 2, mr->lkey}};
  ::ibv_wr_set_sge_list(ex, 2, list);
  ASSERT_EQ(::ibv_wr_complete(ex), 0);
  const auto done = completions();
  ASSERT_EQ(done.size(), 5u);
  EXPECT_EQ(done[0].wr_id, 1u);
  EXPECT_EQ(done[1].wr_id, 2u);
  EXPECT_EQ(done[3].imm_data, 77u);
  EXPECT_EQ(buffer[8192 + 40], 5);
  EXPECT_EQ(buffer[8192 + 1024 + 40], 9);
  EXPECT_EQ(buffer[8192 + 2048 + 42], 100);
}

TEST_F(Extended, PostsAllOrNone) {
  ibv_qp* qp = make_ready(keep(create_extended(kOperations)));
  ibv_ah* ah = handle(own());
  const uint64_t before = count(Counter::kFramesSent);
  ibv_qp_ex* ex = start(qp, 1);
  for (int i = 0; i < 5; ++i) {  // a queue of four
    ::ibv_wr_send(ex);
    ::ibv_wr_set_ud_addr(ex, ah, 5, 0);
    ::ibv_wr_set_sge(ex, mr->lkey, reinterpret_cast<uint64_t>(buffer.data()), 8);
  }
  EXPECT_EQ(::ibv_wr_complete(ex), ENOMEM);
  EXPECT_EQ(count(Counter::kFramesSent), before);
  ex = start(qp, 1);
  ::ibv_wr_send(ex);
  ::ibv_wr_rdma_write(ex, 1, 2);
  EXPECT_EQ(::ibv_wr_complete(ex), EOPNOTSUPP);
  ex = start(qp, 1);
  ::ibv_wr_set_sge(ex, 1, 2, 3);  // of nothing
  EXPECT_EQ(::ibv_wr_complete(ex), EINVAL);
  start(qp, 1);
  ::ibv_wr_send(ex);
  ::ibv_wr_abort(ex);
  EXPECT_EQ(count(Counter::kFramesSent), before);
}

TEST_F(Extended, PollsOneByOne) {
  ibv_cq_init_attr_ex a{};
  a.cqe = 16;
  a.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_SRC_QP;
  ibv_cq_ex* extended = ::ibv_create_cq_ex(context, &a);
  ASSERT_NE(extended, nullptr);
  ibv_qp_init_attr init = plain();
  init.recv_cq = ibv_cq_ex_to_cq(extended);
  ibv_qp* qp = make_ready(::ibv_create_qp(pd, &init));
  ibv_poll_cq_attr none{};
  EXPECT_EQ(::ibv_start_poll(extended, &none), ENOENT);
  for (uint64_t i = 0; i < 2; ++i) {
    ASSERT_EQ(receive(qp, i, 0, 200), 0);
    ASSERT_EQ(send(qp, 9, {handle(own()), qp->qp_num, 8, test::kQkey, 0}), 0);
  }
  ASSERT_EQ(::ibv_start_poll(extended, &none), 0);
  EXPECT_EQ(extended->wr_id, 0u);
  EXPECT_EQ(::ibv_wc_read_byte_len(extended), 48u);
  EXPECT_EQ(::ibv_wc_read_src_qp(extended), qp->qp_num);
  EXPECT_EQ(::ibv_wc_read_opcode(extended), IBV_WC_RECV);
  ASSERT_EQ(::ibv_next_poll(extended), 0);
  EXPECT_EQ(extended->wr_id, 1u);
  EXPECT_EQ(::ibv_next_poll(extended), ENOENT);
  ::ibv_end_poll(extended);
  a.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
  EXPECT_EQ(::ibv_create_cq_ex(context, &a), nullptr);
  EXPECT_EQ(::ibv_destroy_qp(qp), 0);
  EXPECT_EQ(::ibv_destroy_cq(ibv_cq_ex_to_cq(extended)), 0);
}

}  // namespace
}  // namespace lambdacast::verbs
