// SPDX-License-Identifier: BSD-3-Clause
// Flags at the creation of queue pairs, completion queues and memory regions: those that ask for
// nothing, those that datagrams have, and those that are refused.
#include <fcntl.h>

#include "support.h"

namespace lambdacast::verbs {
namespace {

class CreateFlags : public test::Verbs {
 protected:
  [[nodiscard]] ibv_qp_init_attr_ex with(uint32_t more) const {
    ibv_qp_init_attr_ex a{};
    a.send_cq = a.recv_cq = cq;
    a.cap = {16, 16, 4, 4, 64};
    a.qp_type = IBV_QPT_UD;
    a.comp_mask = IBV_QP_INIT_ATTR_PD | more;
    a.pd = pd;
    return a;
  }
  void expect_refused(ibv_qp_init_attr_ex a) {
    errno = 0;
    EXPECT_EQ(::ibv_create_qp_ex(context, &a), nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP);
  }
  ibv_cq_ex* create_cq(uint32_t mask, uint32_t flags) {
    ibv_cq_init_attr_ex a{};
    a.cqe = 2;
    a.wc_flags = IBV_WC_STANDARD_FLAGS;
    a.comp_mask = mask;
    a.flags = flags;
    errno = 0;
    return ::ibv_create_cq_ex(context, &a);
  }
};

TEST_F(CreateFlags, ThatAskForNothingAreNone) {
  for (const uint32_t mask :
       {IBV_QP_INIT_ATTR_CREATE_FLAGS, IBV_QP_INIT_ATTR_MAX_TSO_HEADER, IBV_QP_INIT_ATTR_XRCD,
        IBV_QP_INIT_ATTR_IND_TABLE, IBV_QP_INIT_ATTR_RX_HASH}) {
    ibv_qp_init_attr_ex a = with(mask);
    EXPECT_NE(keep(::ibv_create_qp_ex(context, &a)), nullptr) << mask;
  }
}

TEST_F(CreateFlags, OfOtherQueuePairsAreRefused) {
  for (const uint32_t flag : {IBV_QP_CREATE_SCATTER_FCS, IBV_QP_CREATE_CVLAN_STRIPPING,
                              IBV_QP_CREATE_SOURCE_QPN, IBV_QP_CREATE_PCI_WRITE_END_PADDING}) {
    ibv_qp_init_attr_ex a = with(IBV_QP_INIT_ATTR_CREATE_FLAGS);
    a.create_flags = flag | IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
    expect_refused(a);
  }
  ibv_qp_init_attr_ex segmented = with(IBV_QP_INIT_ATTR_MAX_TSO_HEADER);
  segmented.max_tso_header = 64;
  expect_refused(segmented);
  ibv_qp_init_attr_ex hashed = with(IBV_QP_INIT_ATTR_RX_HASH);
  hashed.rx_hash_conf.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4;
  expect_refused(hashed);
  expect_refused(with(1u << 20));
  // What comp_mask does not name is not looked at.
  ibv_qp_init_attr_ex unnamed = with(0);
  unnamed.create_flags = IBV_QP_CREATE_SCATTER_FCS;
  EXPECT_NE(keep(::ibv_create_qp_ex(context, &unnamed)), nullptr);
}

TEST_F(CreateFlags, WithoutSelfLoopbackAQueuePairHearsOthersOfItsGroupOnly) {
  ibv_qp_init_attr_ex a = with(IBV_QP_INIT_ATTR_CREATE_FLAGS);
  a.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
  ibv_qp* deaf_to_itself = make_ready(keep(::ibv_create_qp_ex(context, &a)));
  ibv_qp* other = ready();
  const wire::Gid group = *wire::parse_gid("239.255.1.1");
  ibv_gid gid;
  std::memcpy(gid.raw, group.bytes.data(), 16);
  for (ibv_qp* qp : {deaf_to_itself, other}) ASSERT_EQ(::ibv_attach_mcast(qp, &gid, 0), 0);
  ASSERT_EQ(receive(deaf_to_itself, 1, 0, 200), 0);
  ASSERT_EQ(receive(other, 2, 512, 200), 0);
  ASSERT_EQ(send(deaf_to_itself, 3, {handle(group), 0xffffff, 10, test::kQkey, 0}), 0);
  auto done = completions();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].wr_id, 2u);
  EXPECT_EQ(done[0].src_qp, deaf_to_itself->qp_num);
  ASSERT_EQ(receive(other, 4, 512, 200), 0);
  ASSERT_EQ(send(other, 5, {handle(group), 0xffffff, 10, test::kQkey, 0}), 0);
  done = completions();
  ASSERT_EQ(done.size(), 2u);
  // Unicast to itself is not of a group.
  ASSERT_EQ(receive(deaf_to_itself, 6, 0, 200), 0);
  ASSERT_EQ(send(deaf_to_itself, 7, {handle(own()), deaf_to_itself->qp_num, 10, test::kQkey, 0}),
            0);
  done = completions();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].wr_id, 6u);
  for (ibv_qp* qp : {deaf_to_itself, other}) ASSERT_EQ(::ibv_detach_mcast(qp, &gid, 0), 0);
}

TEST_F(CreateFlags, OfACompletionQueueAreKnownOrRefused) {
  for (const uint32_t flags : {0u, uint32_t{IBV_CREATE_CQ_ATTR_SINGLE_THREADED}, uint32_t{0x3}}) {
    ibv_cq_ex* made = create_cq(IBV_CQ_INIT_ATTR_MASK_FLAGS, flags);
    ASSERT_NE(made, nullptr) << flags;
    EXPECT_EQ(::ibv_destroy_cq(::ibv_cq_ex_to_cq(made)), 0);
  }
  ibv_cq_ex* of_no_domain = create_cq(IBV_CQ_INIT_ATTR_MASK_PD, 0);
  ASSERT_NE(of_no_domain, nullptr);
  EXPECT_EQ(::ibv_destroy_cq(::ibv_cq_ex_to_cq(of_no_domain)), 0);
  EXPECT_EQ(create_cq(IBV_CQ_INIT_ATTR_MASK_FLAGS, 1u << 7), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(create_cq(1u << 9, 0), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(CreateFlags, AnOverrunThatIsIgnoredIsNotTold) {
  ASSERT_EQ(::fcntl(context->async_fd, F_SETFL, O_NONBLOCK), 0);
  ibv_cq_ex* small = create_cq(IBV_CQ_INIT_ATTR_MASK_FLAGS, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN);
  ASSERT_NE(small, nullptr);
  ibv_qp_init_attr a = plain();
  a.recv_cq = ::ibv_cq_ex_to_cq(small);
  ibv_qp* qp = make_ready(::ibv_create_qp(pd, &a));
  ibv_ah* ah = handle(own());
  const uint64_t lost = count(Counter::kCompletionOverruns);
  for (uint64_t i = 0; i < 3; ++i) {
    ASSERT_EQ(receive(qp, i, 0, 200), 0);
    ASSERT_EQ(send(qp, i, {ah, qp->qp_num, 8, test::kQkey, 0}), 0);
  }
  (void)completions();
  EXPECT_EQ(count(Counter::kCompletionOverruns), lost + 1);
  ibv_async_event event{};
  EXPECT_EQ(::ibv_get_async_event(context, &event), -1);
  EXPECT_EQ(::ibv_destroy_qp(qp), 0);
  EXPECT_EQ(::ibv_destroy_cq(::ibv_cq_ex_to_cq(small)), 0);
}

TEST_F(CreateFlags, OfAMemoryRegionAreKnownOrRefused) {
  const auto made_with = [this](unsigned int access) {
    errno = 0;
    return ::ibv_reg_mr_iova2(pd, buffer.data(), 4096, reinterpret_cast<uint64_t>(buffer.data()),
                              access);
  };
  for (const unsigned int access :
       {0u, unsigned{IBV_ACCESS_HUGETLB}, unsigned{IBV_ACCESS_RELAXED_ORDERING},
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
            unsigned{IBV_ACCESS_REMOTE_ATOMIC}}) {
    ibv_mr* region = made_with(access);
    ASSERT_NE(region, nullptr) << access;
    EXPECT_EQ(::ibv_dereg_mr(region), 0);
  }
  EXPECT_EQ(made_with(IBV_ACCESS_ON_DEMAND), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(made_with(1u << 15), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(made_with(IBV_ACCESS_REMOTE_WRITE), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(CreateFlags, AddressesInAZeroBasedRegionCountFromItsBeginning) {
  ibv_mr* region = ::ibv_reg_mr_iova2(pd, buffer.data() + 512, 256,
                                      reinterpret_cast<uint64_t>(buffer.data() + 512),
                                      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED);
  ASSERT_NE(region, nullptr);
  ibv_qp* qp = ready();
  ibv_sge sge{16, 60, region->lkey};
  ibv_recv_wr wr{1, nullptr, &sge, 1};
  ibv_recv_wr* bad = nullptr;
  ASSERT_EQ(::ibv_post_recv(qp, &wr, &bad), 0);
  ASSERT_EQ(send(qp, 2, {handle(own()), qp->qp_num, 10, test::kQkey, 0}), 0);
  const auto done = completions();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
  EXPECT_EQ(std::memcmp(&buffer[512 + 16 + 40], &buffer[0], 10), 0);
  EXPECT_EQ(::ibv_dereg_mr(region), 0);
}

}  // namespace
}  // namespace lambdacast::verbs
