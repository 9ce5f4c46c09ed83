// SPDX-License-Identifier: BSD-3-Clause
// Sending, as another port of the fabric sees it.
#include "support.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/frame.h"

namespace lambdacast::verbs {
namespace {

using test::Stranger;

class Post : public test::Verbs {
 protected:
  // What the stranger hears next, parsed, its ICRC checked.
  wire::FrameView hear(std::vector<uint8_t>& frame) {
    frame = stranger.hear();
    wire::FrameView view;
    EXPECT_FALSE(frame.empty());
    EXPECT_EQ(wire::parse_frame(frame.data(), frame.size(), view), counters::DropReason::kNone);
    EXPECT_TRUE(wire::icrc_ok(frame.data(), view));
    return view;
  }
  Stranger stranger;
  const wire::Gid elsewhere = wire::gid_from_ipv4(0x0a4d0063);
};

TEST_F(Post, MakesTheFrameOfEveryLength) {
  ibv_qp* qp = ready();
  ibv_ah* ah = handle(elsewhere);
  uint32_t psn = 0xfffffe;
  for (const uint32_t bytes : {0u, 1u, 2u, 3u, 4u, 63u, 64u, 65u, 1000u, 4095u, 4096u}) {
    ASSERT_EQ(send(qp, bytes, {ah, 0x345, bytes}), 0);
    std::vector<uint8_t> frame;
    const wire::FrameView view = hear(frame);
    EXPECT_EQ(view.source_gid, own());
    EXPECT_EQ(view.destination_gid, elsewhere);
    EXPECT_EQ(view.destination_qpn, 0x345u);
    EXPECT_EQ(view.source_qpn, qp->qp_num);
    EXPECT_EQ(view.udp_source_port, wire::roce_source_port(qp->qp_num));
    EXPECT_EQ(view.psn, psn);
    EXPECT_EQ(view.hop_limit, 64);
    EXPECT_TRUE(view.dont_fragment);
    EXPECT_FALSE(view.solicited || view.ack_request || view.migration_request);
    ASSERT_EQ(view.payload_bytes, bytes);
    EXPECT_EQ(std::memcmp(frame.data() + view.payload_offset, buffer.data(), bytes), 0);
    psn = (psn + 1) & 0xffffff;
    const auto done = completions();
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].wr_id, bytes);
    EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(done[0].opcode, IBV_WC_SEND);
  }
}

TEST_F(Post, CarriesTheImmediateTheEventAndTheTrafficClass) {
  ibv_ah_attr a = to(elsewhere, 1);
  a.grh.traffic_class = 0xb8;
  a.grh.hop_limit = 7;
  ibv_ah* ah = ::ibv_create_ah(pd, &a);
  ibv_qp* qp = ready();
  ASSERT_EQ(send(qp, 1, {ah, 5, 3, test::kQkey, IBV_SEND_SOLICITED, IBV_WR_SEND_WITH_IMM}), 0);
  std::vector<uint8_t> frame;
  const wire::FrameView view = hear(frame);
  EXPECT_TRUE(view.has_immediate);
  EXPECT_EQ(view.immediate, 0x01020304u);
  EXPECT_TRUE(view.solicited);
  EXPECT_EQ(view.traffic_class, 0xb8);
  EXPECT_EQ(view.hop_limit, 64);       // as Soft-RoCE
  EXPECT_TRUE(completions().empty());  // not signalled
  EXPECT_EQ(::ibv_destroy_ah(ah), 0);
}

TEST_F(Post, ToAGroupHasItsMacAddressAndQueuePair) {
  ibv_qp* qp = ready();
  const wire::Gid group = *wire::parse_gid("ff0e::1:2345:6789");
  ASSERT_EQ(send(qp, 1, {handle(group, 0), 0xffffff, 64}), 0);
  std::vector<uint8_t> frame;
  const wire::FrameView view = hear(frame);
  EXPECT_TRUE(view.is_ipv6);
  EXPECT_EQ(view.destination_gid, group);
  EXPECT_EQ(view.source_gid, own(0));
  EXPECT_EQ(view.destination_qpn, wire::kMulticastQpn);
  EXPECT_EQ(wire::format(wire::load_mac(frame.data())), "33:33:23:45:67:89");
}

TEST_F(Post, InlineNeedsNoKey) {
  ibv_qp* qp = ready();
  ibv_ah* ah = handle(elsewhere);
  ASSERT_EQ(send(qp, 1, {ah, 5, 64, 0, IBV_SEND_INLINE, IBV_WR_SEND, 0xdead}), 0);
  std::vector<uint8_t> frame;
  EXPECT_EQ(hear(frame).payload_bytes, 64u);
  EXPECT_EQ(send(qp, 1, {ah, 5, 65, 0, IBV_SEND_INLINE}), EINVAL);
}

TEST_F(Post, AQkeyWithItsHighestBitIsTheQueuePairs) {
  ibv_qp* qp = ready();
  ASSERT_EQ(send(qp, 1, {handle(elsewhere), 5, 4, 0x80000001}), 0);
  std::vector<uint8_t> frame;
  EXPECT_EQ(hear(frame).qkey, test::kQkey);
}

TEST_F(Post, AMessageAboveThePathMtuIsALengthError) {
  ibv_qp* qp = ready();
  ibv_ah* ah = handle(elsewhere);
  ASSERT_EQ(send(qp, 1, {ah, 5, 4097, 0, 0}), 0);  // an error completes, signalled or not
  ASSERT_EQ(send(qp, 2, {ah, 5, 1}), 0);
  auto done = completions();
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].status, IBV_WC_LOC_LEN_ERR);
  EXPECT_EQ(done[1].status, IBV_WC_WR_FLUSH_ERR);
  EXPECT_EQ(qp->state, IBV_QPS_SQE);
  EXPECT_TRUE(stranger.hear().empty());
  ASSERT_EQ(step(qp, IBV_QPS_RTS, 0), 0);
  ASSERT_EQ(send(qp, 3, {ah, 5, 1}), 0);
  EXPECT_FALSE(stranger.hear().empty());
}

TEST_F(Post, AKeyThatDoesNotAllowItIsAProtectionError) {
  ibv_ah* ah = handle(elsewhere);
  for (const uint32_t key : {mr->lkey + 1, 1u}) {
    ibv_qp* qp = ready();
    ASSERT_EQ(send(qp, 1, {ah, 5, 8, 0, 0, IBV_WR_SEND, key}), 0);
    const auto done = completions();
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].status, IBV_WC_LOC_PROT_ERR);
  }
  EXPECT_TRUE(stranger.hear().empty());
}

TEST_F(Post, RefusesWhatIsNoDatagram) {
  ibv_qp* qp = ready();
  ibv_ah* ah = handle(elsewhere);
  for (const auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP,
                            IBV_WR_SEND_WITH_INV, IBV_WR_LOCAL_INV, IBV_WR_TSO}) {
    EXPECT_EQ(send(qp, 1, {ah, 5, 8, 0, 0, opcode}), EINVAL);
  }
  EXPECT_EQ(send(qp, 1, {nullptr, 5, 8}), EINVAL);
  EXPECT_EQ(send(create(), 1, {ah, 5, 8}), EINVAL);  // in RESET
}

TEST_F(Post, AFullSendQueueIsNoMemory) {
  ibv_qp* qp = ready();
  ibv_send_wr wr{};
  wr.opcode = IBV_WR_SEND;
  wr.wr.ud.ah = handle(elsewhere);
  // Unpaced, every send has left when the next comes: so it is asked for one behind others.
  EXPECT_EQ(device().check(pair_of(qp), wr, 15), 0);
  EXPECT_EQ(device().check(pair_of(qp), wr, 16), ENOMEM);
}

TEST_F(Post, AFullReceiveQueueIsNoMemory) {
  ibv_qp* qp = ready();
  for (uint64_t i = 0; i < 16; ++i) ASSERT_EQ(receive(qp, i, 0, 100), 0);
  EXPECT_EQ(receive(qp, 16, 0, 100), ENOMEM);
  EXPECT_EQ(receive(create(), 1, 0, 100), EINVAL);
}

TEST_F(Post, InErrorEverythingIsFlushed) {
  ibv_qp* qp = ready();
  for (uint64_t i = 0; i < 3; ++i) ASSERT_EQ(receive(qp, i, 0, 100), 0);
  ASSERT_EQ(step(qp, IBV_QPS_ERR, 0), 0);
  ASSERT_EQ(receive(qp, 3, 0, 100), 0);
  ASSERT_EQ(send(qp, 4, {handle(elsewhere), 5, 8}), 0);
  const auto done = completions();
  ASSERT_EQ(done.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(done[i].wr_id, i);
    EXPECT_EQ(done[i].status, IBV_WC_WR_FLUSH_ERR);
  }
}

}  // namespace
}  // namespace lambdacast::verbs
