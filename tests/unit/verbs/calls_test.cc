// SPDX-License-Identifier: BSD-3-Clause
// The calls of a program's set-up, and what is refused as the manual pages say.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include "support.h"

namespace lambdacast::verbs {
namespace {

class Calls : public test::Verbs {};

TEST_F(Calls, ThePortIsActiveAndCarriesTheLargestMtu) {
  ibv_port_attr port{};
  // As a program does that was compiled long ago.
  ASSERT_EQ((ibv_query_port)(context, 1, reinterpret_cast<_compat_ibv_port_attr*>(&port)), 0);
  EXPECT_EQ(port.state, IBV_PORT_ACTIVE);
  EXPECT_EQ(port.active_mtu, IBV_MTU_4096);
  EXPECT_EQ(port.link_layer, IBV_LINK_LAYER_ETHERNET);
  EXPECT_EQ(port.pkey_tbl_len, 3);
  EXPECT_EQ(ibv_query_port(context, 1, &port), 0);
  EXPECT_EQ(ibv_query_port(context, 2, &port), EINVAL);
  EXPECT_EQ(ibv_query_port(context, 0, &port), EINVAL);
}

TEST_F(Calls, EmptyGidsAreZerosWithSuccess) {
  ibv_gid gid;
  for (int i = 0; i < kGidTableEntries; ++i) {
    std::memset(&gid, 0xff, sizeof gid);
    ASSERT_EQ(::ibv_query_gid(context, 1, i, &gid), 0);
    EXPECT_EQ(std::memcmp(gid.raw, own(static_cast<size_t>(i)).bytes.data(), 16), 0);
  }
  EXPECT_EQ(::ibv_query_gid(context, 1, kGidTableEntries, &gid), -1);
  EXPECT_EQ(::ibv_query_gid(context, 1, -1, &gid), -1);
  EXPECT_EQ(::ibv_query_gid(context, 2, 0, &gid), -1);
  ibv_gid_entry entry;
  EXPECT_EQ(::ibv_query_gid_ex(context, 1, 1, &entry, 0), 0);
  EXPECT_EQ(entry.gid_type, uint32_t{IBV_GID_TYPE_ROCE_V2});
  EXPECT_EQ(::ibv_query_gid_ex(context, 1, 2, &entry, 0), ENODATA);
  ibv_gid_entry table[4];
  EXPECT_EQ(::ibv_query_gid_table(context, table, 4, 0), 2);
}

TEST_F(Calls, PkeysAreATable) {
  __be16 pkey = 0;
  ASSERT_EQ(::ibv_query_pkey(context, 1, 1, &pkey), 0);
  EXPECT_EQ(pkey, __builtin_bswap16(0x8001));
  EXPECT_EQ(::ibv_query_pkey(context, 1, 3, &pkey), -1);
  EXPECT_EQ(::ibv_get_pkey_index(context, 1, __builtin_bswap16(0x8001)), 1);
  EXPECT_EQ(::ibv_get_pkey_index(context, 1, 0x1234), -1);
}

TEST_F(Calls, OnlyDatagramsAreCarried) {
  for (const auto type : {IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_RAW_PACKET, IBV_QPT_XRC_SEND}) {
    ibv_qp_init_attr a = plain(type);
    errno = 0;
    EXPECT_EQ(::ibv_create_qp(pd, &a), nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP);
  }
  EXPECT_EQ(::ibv_create_srq(pd, nullptr), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(::ibv_alloc_mw(pd, IBV_MW_TYPE_1), nullptr);
  EXPECT_EQ(::ibv_alloc_td(context, nullptr), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
}

TEST_F(Calls, LimitsAreThoseTheDeviceNames) {
  ibv_device_attr device{};
  ASSERT_EQ(::ibv_query_device(context, &device), 0);
  ibv_qp_init_attr a = plain();
  a.cap.max_recv_wr = static_cast<uint32_t>(device.max_qp_wr) + 1;
  EXPECT_EQ(::ibv_create_qp(pd, &a), nullptr);
  EXPECT_EQ(errno, EINVAL);
  a = plain();
  a.cap.max_send_sge = static_cast<uint32_t>(device.max_sge) + 1;
  EXPECT_EQ(::ibv_create_qp(pd, &a), nullptr);
  EXPECT_EQ(::ibv_create_cq(context, 0, nullptr, nullptr, 0), nullptr);
  EXPECT_EQ(::ibv_create_cq(context, device.max_cqe + 1, nullptr, nullptr, 0), nullptr);
  EXPECT_EQ(::ibv_create_cq(context, 1, nullptr, nullptr, 1), nullptr);
}

TEST_F(Calls, WhatIsInUseIsBusy) {
  ready();
  EXPECT_EQ(::ibv_destroy_cq(cq), EBUSY);
  EXPECT_EQ(::ibv_dealloc_pd(pd), EBUSY);
}

TEST_F(Calls, AnAddressHandleNeedsAGidOfTheSameFamily) {
  const wire::Gid there = wire::gid_from_ipv4(0x0a4d0063);
  ibv_ah_attr a = to(there, 0);
  EXPECT_EQ(::ibv_create_ah(pd, &a), nullptr);
  EXPECT_EQ(errno, EINVAL);
  a = to(there, 2);
  EXPECT_EQ(::ibv_create_ah(pd, &a), nullptr);
  a = to(there, 1);
  a.is_global = 0;
  EXPECT_EQ(::ibv_create_ah(pd, &a), nullptr);
  a = to(there, 1);
  a.port_num = 2;
  EXPECT_EQ(::ibv_create_ah(pd, &a), nullptr);
}

TEST_F(Calls, AnAnswerGoesWhereTheMessageCameFrom) {
  ibv_qp* qp = ready();
  for (const uint8_t index : {0, 1}) {
    ASSERT_EQ(receive(qp, 1, 0, 200), 0);
    ASSERT_EQ(send(qp, 2, {handle(own(index), index), qp->qp_num, 8}), 0);
    auto done = completions();
    ASSERT_EQ(done.size(), 2u);
    ibv_ah_attr back{};
    auto* grh = reinterpret_cast<ibv_grh*>(buffer.data());
    ASSERT_EQ(::ibv_init_ah_from_wc(context, 1, &done[1], grh, &back), 0);
    EXPECT_EQ(std::memcmp(back.grh.dgid.raw, own(index).bytes.data(), 16), 0);
    EXPECT_EQ(back.grh.sgid_index, index);
    EXPECT_EQ(back.is_global, 1);
    ibv_ah* ah = ::ibv_create_ah_from_wc(pd, &done[1], grh, 1);
    ASSERT_NE(ah, nullptr);
    EXPECT_EQ(::ibv_destroy_ah(ah), 0);
  }
}

TEST_F(Calls, AQueuePairSaysWhatItIs) {
  ibv_qp* qp = ready();
  ibv_qp_attr a{};
  ibv_qp_init_attr init{};
  ASSERT_EQ(::ibv_query_qp(qp, &a, IBV_QP_STATE | IBV_QP_QKEY, &init), 0);
  EXPECT_EQ(a.qp_state, IBV_QPS_RTS);
  EXPECT_EQ(a.qkey, test::kQkey);
  EXPECT_EQ(a.sq_psn, 0xfffffeu);
  EXPECT_EQ(init.cap.max_inline_data, 64u);
  EXPECT_EQ(init.qp_type, IBV_QPT_UD);
  EXPECT_EQ(step(qp, IBV_QPS_RESET, 0), 0);
  EXPECT_EQ(step(qp, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 3), EINVAL);
}

TEST_F(Calls, ResetForgetsWhatWasPostedAndCompleted) {
  ibv_qp* qp = ready();
  ASSERT_EQ(receive(qp, 1, 0, 200), 0);
  ASSERT_EQ(send(qp, 2, {handle(own()), qp->qp_num, 8}), 0);
  ASSERT_EQ(step(qp, IBV_QPS_RESET, 0), 0);
  EXPECT_TRUE(completions().empty());
}

TEST_F(Calls, AnEventComesForWhatWasArmed) {
  ibv_comp_channel* channel = ::ibv_create_comp_channel(context);
  ASSERT_NE(channel, nullptr);
  int tag = 0;
  ibv_cq* armed = ::ibv_create_cq(context, 16, &tag, channel, 0);
  ASSERT_NE(armed, nullptr);
  EXPECT_EQ(::ibv_destroy_comp_channel(channel), EBUSY);
  ibv_qp_init_attr a = plain();
  a.recv_cq = armed;
  ibv_qp* qp = make_ready(::ibv_create_qp(pd, &a));
  ASSERT_EQ(receive(qp, 1, 0, 200), 0);
  ASSERT_EQ(::ibv_req_notify_cq(armed, 0), 0);
  ASSERT_EQ(send(qp, 2, {handle(own()), qp->qp_num, 8, test::kQkey, 0}), 0);
  // Nobody polls: the thread finds it.
  ibv_cq* which = nullptr;
  void* context_of = nullptr;
  ASSERT_EQ(::ibv_get_cq_event(channel, &which, &context_of), 0);
  EXPECT_EQ(which, armed);
  EXPECT_EQ(context_of, &tag);
  ibv_wc wc;
  EXPECT_EQ(::ibv_poll_cq(armed, 1, &wc), 1);
  ::ibv_ack_cq_events(armed, 1);
  EXPECT_EQ(::ibv_req_notify_cq(cq, 0), EINVAL);  // has no channel
  EXPECT_EQ(::ibv_destroy_qp(qp), 0);
  EXPECT_EQ(::ibv_destroy_cq(armed), 0);
  EXPECT_EQ(::ibv_destroy_comp_channel(channel), 0);
}

TEST_F(Calls, AnEventComesAfterASilenceWhoeverEndsIt) {
  ibv_comp_channel* channel = ::ibv_create_comp_channel(context);
  ASSERT_NE(channel, nullptr);
  ibv_cq* armed = ::ibv_create_cq(context, 16, nullptr, channel, 0);
  ASSERT_NE(armed, nullptr);
  ibv_qp_init_attr a = plain();
  a.send_cq = a.recv_cq = armed;
  ibv_qp* qp = make_ready(::ibv_create_qp(pd, &a));
  test::Stranger stranger;
  const std::vector<uint8_t> payload(8, 1);
  // An event that comes although the thread has long found nothing.
  const auto event_after_silence = [&](auto&& ended_by) {
    constexpr int kSilenceMs = 30, kPatienceMs = 20'000;
    pollfd waited{channel->fd, POLLIN, 0};
    EXPECT_EQ(::ibv_req_notify_cq(armed, 0), 0);
    EXPECT_EQ(::poll(&waited, 1, kSilenceMs), 0);
    ended_by();
    ASSERT_EQ(::poll(&waited, 1, kPatienceMs), 1);
    ibv_cq* which = nullptr;
    void* context_of = nullptr;
    ASSERT_EQ(::ibv_get_cq_event(channel, &which, &context_of), 0);
    ::ibv_ack_cq_events(which, 1);
    ibv_wc wc;
    EXPECT_EQ(::ibv_poll_cq(armed, 1, &wc), 1);
    EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
  };
  ASSERT_EQ(receive(qp, 1, 0, 200), 0);
  event_after_silence([&] { stranger.say(test::Stranger::to(qp), payload); });
  event_after_silence([&] {
    const wire::Gid other = wire::gid_from_ipv4(0x0a4d0063);
    ASSERT_EQ(send(qp, 2, {handle(other), 17, 8}), 0);
  });
  // It came while no receive was posted, and waits in the ring.
  stranger.say(test::Stranger::to(qp), payload);
  event_after_silence([&] { ASSERT_EQ(receive(qp, 3, 0, 200), 0); });
  EXPECT_EQ(::ibv_destroy_qp(qp), 0);
  EXPECT_EQ(::ibv_destroy_cq(armed), 0);
  EXPECT_EQ(::ibv_destroy_comp_channel(channel), 0);
}

TEST_F(Calls, AQueueThatOverrunsIsToldOfOnceUntilItIsPolled) {
  ASSERT_EQ(::fcntl(context->async_fd, F_SETFL, O_NONBLOCK), 0);
  ibv_cq* small = ::ibv_create_cq(context, 2, nullptr, nullptr, 0);
  ASSERT_NE(small, nullptr);
  ibv_qp_init_attr a = plain();
  a.send_cq = small;
  ibv_qp* qp = make_ready(::ibv_create_qp(pd, &a));
  ibv_ah* ah = handle(own());
  const auto overrun = [&] {
    for (uint64_t i = 0; i < 5; ++i) ASSERT_EQ(send(qp, i, {ah, 99, 8}), 0);
    ibv_wc wc;
    ASSERT_EQ(::ibv_poll_cq(cq, 1, &wc), 0);  // another queue: all sends have completed now
  };
  ibv_async_event event{};
  overrun();
  ASSERT_EQ(::ibv_get_async_event(context, &event), 0);
  EXPECT_EQ(event.event_type, IBV_EVENT_CQ_ERR);
  EXPECT_EQ(event.element.cq, small);
  EXPECT_EQ(::ibv_get_async_event(context, &event), -1);
  EXPECT_EQ(errno, EAGAIN);
  event.element.cq = small;
  event.event_type = IBV_EVENT_CQ_ERR;
  ::ibv_ack_async_event(&event);
  ibv_wc wc[4];
  EXPECT_EQ(::ibv_poll_cq(small, 4, wc), 2);
  overrun();  // not fetched: goes with the queue
  EXPECT_EQ(::ibv_destroy_qp(qp), 0);
  EXPECT_EQ(::ibv_destroy_cq(small), 0);
  EXPECT_EQ(::ibv_get_async_event(context, &event), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(Calls, ACompletionQueueGrowsWithWhatIsInIt) {
  ibv_qp* qp = ready();
  for (uint64_t i = 0; i < 3; ++i) ASSERT_EQ(send(qp, i, {handle(own()), 99, 8}), 0);
  EXPECT_EQ(::ibv_resize_cq(cq, 2), EINVAL);  // all three have left, though nobody has looked
  ibv_wc wc;
  ASSERT_EQ(::ibv_poll_cq(cq, 1, &wc), 1);
  EXPECT_EQ(::ibv_resize_cq(cq, 1), EINVAL);
  EXPECT_EQ(::ibv_resize_cq(cq, 1000), 0);
  EXPECT_EQ(cq->cqe, 1000);
  const auto rest = completions();
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(rest[0].wr_id, 1u);
}

TEST_F(Calls, AChildOfAForkGetsErrors) {
  ibv_qp* qp = ready();
  ibv_ah* ah = handle(own());
  const pid_t child = ::fork();
  if (child == 0) {
    ibv_wc wc;
    ibv_qp_init_attr a = plain();
    const bool refused = ::ibv_poll_cq(cq, 1, &wc) < 0 && send(qp, 1, {ah, 5, 8}) == ENODEV &&
                         receive(qp, 1, 0, 100) == ENODEV && ::ibv_alloc_pd(context) == nullptr &&
                         ::ibv_create_qp(pd, &a) == nullptr && ::ibv_destroy_qp(qp) == ENODEV;
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  // And the parent goes on.
  ASSERT_EQ(receive(qp, 1, 0, 100), 0);
  ASSERT_EQ(send(qp, 2, {ah, qp->qp_num, 8}), 0);
  EXPECT_EQ(completions().size(), 2u);
}

}  // namespace
}  // namespace lambdacast::verbs
