// SPDX-License-Identifier: BSD-3-Clause
// Receiving what a stranger says.
#include "support.h"
#include "wire/roce/ip.h"

namespace lambdacast::verbs {
namespace {

using counters::DropReason;
using test::Stranger;

class Delivery : public test::Verbs {
 protected:
  Stranger stranger;
  std::vector<uint8_t> payload = std::vector<uint8_t>(100, 0x5a);
};

TEST_F(Delivery, PutsTheIpv4HeaderBehindTwentyZeros) {
  ibv_qp* qp = ready();
  ASSERT_EQ(receive(qp, 7, 0, 200), 0);
  wire::FrameFields f = Stranger::to(qp);
  f.traffic_class = 0x12;
  f.has_immediate = true;
  f.immediate = 0x01020304;
  stranger.say(f, payload);
  const auto done = completions();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].wr_id, 7u);
  EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
  EXPECT_EQ(done[0].opcode, IBV_WC_RECV);
  EXPECT_EQ(done[0].byte_len, 140u);
  EXPECT_EQ(done[0].wc_flags, unsigned{IBV_WC_GRH | IBV_WC_WITH_IMM});
  EXPECT_EQ(done[0].sl, 10);  // UDP over IPv4
  EXPECT_EQ(done[0].imm_data, 0x04030201u);
  EXPECT_EQ(done[0].src_qp, 0x123u);
  EXPECT_EQ(done[0].qp_num, qp->qp_num);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(buffer[i], 0);
  const wire::Ipv4Header ip = wire::load_ipv4(&buffer[20]);
  EXPECT_EQ(ip.version, 4);
  EXPECT_EQ(ip.tos, 0x12);
  EXPECT_EQ(ip.source, 0x0a4d0063u);
  EXPECT_EQ(std::memcmp(&buffer[40], payload.data(), payload.size()), 0);
  EXPECT_EQ(buffer[140], 140);  // untouched
}

TEST_F(Delivery, PutsTheIpv6HeaderInFront) {
  ibv_qp* qp = ready();
  ASSERT_EQ(receive(qp, 7, 0, 200), 0);
  wire::FrameFields f = Stranger::to(qp);
  f.source_gid = *wire::parse_gid("fe80::9");
  f.destination_gid = own(0);
  stranger.say(f, payload);
  const auto done = completions();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].sl, 9);  // UDP over IPv6
  const wire::Ipv6Header ip = wire::load_ipv6(buffer.data());
  EXPECT_EQ(ip.version, 6);
  EXPECT_EQ(ip.source, f.source_gid);
  EXPECT_EQ(ip.destination, own(0));
}

TEST_F(Delivery, ScattersAcrossBuffers) {
  ibv_qp* qp = ready();
  auto* base = reinterpret_cast<char*>(buffer.data());
  const auto at = [&](size_t offset) { return reinterpret_cast<uint64_t>(base + offset); };
  ibv_sge sges[]{{at(1000), 40, mr->lkey},
                 {at(2000), 0, mr->lkey},
                 {at(3000), 7, mr->lkey},
                 {at(4000), 93, mr->lkey}};
  ibv_recv_wr wr{1, nullptr, sges, 4};
  ibv_recv_wr* bad = nullptr;
  ASSERT_EQ(::ibv_post_recv(qp, &wr, &bad), 0);
  for (size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<uint8_t>(i);
  stranger.say(Stranger::to(qp), payload);
  const auto done = completions();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
  EXPECT_EQ(std::memcmp(base + 3000, payload.data(), 7), 0);
  EXPECT_EQ(std::memcmp(base + 4000, payload.data() + 7, 93), 0);
}

TEST_F(Delivery, DropsSilentlyAndCounts) {
  ibv_qp* qp = ready();
  ASSERT_EQ(receive(qp, 1, 0, 200), 0);
  const auto drops = [&](DropReason reason, auto change) {
    wire::FrameFields f = Stranger::to(qp);
    change(f);
    const uint64_t before = dropped(reason);
    stranger.say(f, payload);
    EXPECT_TRUE(completions().empty());
    EXPECT_EQ(dropped(reason), before + 1) << counters::name(reason);
  };
  drops(DropReason::kQkeyMismatch, [](auto& f) { f.qkey = 1; });
  drops(DropReason::kPkeyMismatch, [](auto& f) { f.pkey = 0x8002; });
  drops(DropReason::kUnknownQpn, [](auto& f) { f.destination_qpn ^= 0x1000; });
  drops(DropReason::kUnknownQpn, [](auto& f) { f.destination_qpn ^= 1; });
  drops(DropReason::kMulticastQpn, [](auto& f) { f.destination_qpn = wire::kMulticastQpn; });
  drops(DropReason::kWrongDestinationGid,
        [](auto& f) { f.destination_gid = wire::gid_from_ipv4(0x0a4d0064); });
  const uint64_t before = count(Counter::kNotAttached);
  wire::FrameFields f = Stranger::to(qp);
  f.destination_gid = *wire::parse_gid("239.9.9.9");
  f.destination_qpn = wire::kMulticastQpn;
  stranger.say(f, payload);
  EXPECT_TRUE(completions().empty());
  EXPECT_EQ(count(Counter::kNotAttached), before + 1);
  // And the receive is still there.
  stranger.say(Stranger::to(qp), payload);
  EXPECT_EQ(completions().size(), 1u);
}

TEST_F(Delivery, TakesAPartitionsLimitedMember) {
  ibv_qp* full = make_ready(create(), 1);
  ASSERT_EQ(receive(full, 1, 0, 200), 0);
  wire::FrameFields f = Stranger::to(full);
  f.pkey = 0x0001;
  stranger.say(f, payload);
  EXPECT_EQ(completions().size(), 1u);
  // Two limited members do not hear one another.
  ibv_qp* limited = make_ready(create(), 2);
  ASSERT_EQ(receive(limited, 1, 0, 200), 0);
  f.destination_qpn = limited->qp_num;
  stranger.say(f, payload);
  EXPECT_TRUE(completions().empty());
  f.pkey = 0x8001;
  stranger.say(f, payload);
  EXPECT_EQ(completions().size(), 1u);
}

TEST_F(Delivery, NeedsAStateThatReceives) {
  ibv_qp* qp = create();
  const uint64_t before = count(Counter::kNotReady);
  stranger.say(Stranger::to(qp), payload);
  EXPECT_TRUE(completions().empty());
  ASSERT_EQ(step(qp, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), 0);
  ASSERT_EQ(receive(qp, 1, 0, 200), 0);
  stranger.say(Stranger::to(qp), payload);
  EXPECT_TRUE(completions().empty());
  EXPECT_EQ(count(Counter::kNotReady), before + 2);
  ASSERT_EQ(step(qp, IBV_QPS_RTR, 0), 0);
  stranger.say(Stranger::to(qp), payload);
  EXPECT_EQ(completions().size(), 1u);
}

TEST_F(Delivery, WithoutAReceiveEverPostedDrops) {
  ibv_qp* qp = ready();
  const uint64_t before = count(Counter::kNoReceive);
  stranger.say(Stranger::to(qp), payload);
  EXPECT_TRUE(completions().empty());
  EXPECT_EQ(count(Counter::kNoReceive), before + 1);
}

TEST_F(Delivery, WaitsForTheNextReceiveUntilTheRingIsHalfFull) {
  ibv_qp* qp = ready();
  ASSERT_EQ(receive(qp, 1, 0, 200), 0);
  const uint64_t before = count(Counter::kNoReceive);
  constexpr int kSaid = 40;  // of a ring of 64
  for (int i = 0; i < kSaid; ++i) stranger.say(Stranger::to(qp), payload);
  EXPECT_EQ(completions().size(), 1u);
  const uint64_t lost = count(Counter::kNoReceive) - before;
  EXPECT_EQ(lost, kSaid - 1 - 31u);
  // The others are in the ring.
  for (uint64_t i = 0; i < 16; ++i) ASSERT_EQ(receive(qp, i, 0, 200), 0);
  EXPECT_EQ(completions().size(), 16u);
  for (uint64_t i = 0; i < 16; ++i) ASSERT_EQ(receive(qp, i, 0, 200), 0);
  EXPECT_EQ(completions().size(), 15u);
}

TEST_F(Delivery, AFrameIsHeardWhenItHasLeftAndNotBefore) {
  ibv_qp* qp = ready();
  ASSERT_EQ(receive(qp, 1, 0, 200), 0);
  const uint64_t departure = Port::now() + measured_ticks_hz() / 500;
  stranger.say(Stranger::to(qp), payload, departure);
  std::vector<ibv_wc> heard;
  uint64_t looked_at = 0;
  while (heard.empty()) {
    heard = completions();
    looked_at = Port::now();
    ASSERT_TRUE(heard.empty() || looked_at >= departure);
  }
  EXPECT_EQ(heard.size(), 1u);
}

// The ring has room for days: what it says of a frame's departure is a time within two of them.
TEST_F(Delivery, AFrameOfDaysAgoHasLeft) {
  ibv_qp* qp = ready();
  ASSERT_EQ(receive(qp, 1, 0, 200), 0);
  stranger.say(Stranger::to(qp), payload, Port::now() + 3600 * measured_ticks_hz());
  EXPECT_EQ(completions().size(), 1u);
}

TEST_F(Delivery, ABufferTooSmallIsALengthErrorAndTheEndOfTheQueuePair) {
  ibv_qp* qp = ready();
  ASSERT_EQ(receive(qp, 1, 0, 139), 0);
  ASSERT_EQ(receive(qp, 2, 0, 200), 0);
  stranger.say(Stranger::to(qp), payload);
  const auto done = completions();
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].status, IBV_WC_LOC_LEN_ERR);
  EXPECT_EQ(done[1].status, IBV_WC_WR_FLUSH_ERR);
  EXPECT_EQ(qp->state, IBV_QPS_ERR);
}

TEST_F(Delivery, ABufferThatMayNotBeWrittenIsAProtectionError) {
  ibv_qp* qp = ready();
  ibv_mr* read_only = (::ibv_reg_mr)(pd, buffer.data(), 200, 0);
  ibv_sge sge{reinterpret_cast<uint64_t>(buffer.data()), 200, read_only->lkey};
  ibv_recv_wr wr{1, nullptr, &sge, 1};
  ibv_recv_wr* bad = nullptr;
  ASSERT_EQ(::ibv_post_recv(qp, &wr, &bad), 0);
  stranger.say(Stranger::to(qp), payload);
  const auto done = completions();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].status, IBV_WC_LOC_PROT_ERR);
  EXPECT_EQ(buffer[0], 0);
  EXPECT_EQ(buffer[1], 1);
  EXPECT_EQ(::ibv_dereg_mr(read_only), 0);
}

TEST_F(Delivery, AGroupsMessageGoesToAllWhoAreAttached) {
  ibv_qp* first = ready();
  ibv_qp* second = ready();
  const wire::Gid group = *wire::parse_gid("239.255.1.1");
  ibv_gid gid;
  std::memcpy(gid.raw, group.bytes.data(), 16);
  for (ibv_qp* qp : {first, second}) {
    ASSERT_EQ(receive(qp, qp->qp_num, 0, 200), 0);
    ASSERT_EQ(::ibv_attach_mcast(qp, &gid, 0), 0);
  }
  EXPECT_EQ(::ibv_destroy_qp(first), EBUSY);
  wire::FrameFields f = Stranger::to(first);
  f.destination_gid = group;
  f.destination_qpn = wire::kMulticastQpn;
  stranger.say(f, payload);
  EXPECT_EQ(completions().size(), 2u);
  // The sender hears himself if he is attached.
  ASSERT_EQ(receive(second, 9, 0, 200), 0);
  ASSERT_EQ(::ibv_detach_mcast(first, &gid, 0), 0);
  ASSERT_EQ(send(second, 8, {handle(group), 0xffffff, 10, test::kQkey, 0}), 0);
  const auto done = completions();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].wr_id, 9u);
  EXPECT_EQ(done[0].src_qp, second->qp_num);
  ASSERT_EQ(::ibv_detach_mcast(second, &gid, 0), 0);
  EXPECT_EQ(::ibv_detach_mcast(second, &gid, 0), EINVAL);
}

TEST_F(Delivery, TwoQueuePairsOfOneProcessTalk) {
  ibv_qp* from = ready();
  ibv_qp* to = ready();
  ibv_ah* ah = handle(own());
  for (uint64_t i = 0; i < 500; ++i) {
    ASSERT_EQ(receive(to, i, 8192, 300), 0);
    ASSERT_EQ(send(from, 1000 + i, {ah, to->qp_num, 256}), 0);
    const auto done = completions();
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[1].wr_id, i);
    EXPECT_EQ(std::memcmp(&buffer[8192 + 40], &buffer[0], 256), 0);
  }
}

}  // namespace
}  // namespace lambdacast::verbs
