// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/mbuf_env.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace lambdacast::dpdk {
namespace {

constexpr uint64_t kKeep = uint64_t{1} << 40;  // as if a port knew that flag

class MbufEnvTest : public ::testing::Test {
 protected:
  test::StageEnv env_{0, 63};
};

TEST_F(MbufEnvTest, describe_a_packet__expect_frame_length_and_info_of_its_mbuf) {
  rte_mbuf* packet = env_.packets.allocate();
  ASSERT_NE(packet, nullptr);
  EXPECT_EQ(MbufEnv::frame(packet), rte_pktmbuf_mtod(packet, uint8_t*));
  MbufEnv::set_length(packet, 99);
  EXPECT_EQ(MbufEnv::length(packet), 99u);
  EXPECT_EQ(rte_pktmbuf_pkt_len(packet), 99u);
  EXPECT_EQ(&MbufEnv::info(packet), &info_of(packet));
  EXPECT_EQ(MbufEnv::packet(MbufEnv::handle(packet)), packet);
  env_.packets.free(packet);
  EXPECT_EQ(env_.pool.away(), 0u);
}

TEST_F(MbufEnvTest, allocate_more_than_there_is__expect_none_of_the_bulk_taken) {
  std::vector<rte_mbuf*> packets(64);
  EXPECT_FALSE(env_.packets.allocate(packets.data(), 64));
  EXPECT_EQ(env_.pool.away(), 0u);
  EXPECT_TRUE(env_.packets.allocate(packets.data(), 63));
  EXPECT_EQ(env_.packets.allocate(), nullptr);
  env_.packets.free_plain(packets.data(), 63);
  EXPECT_EQ(env_.pool.away(), 0u);
}

TEST_F(MbufEnvTest, share_a_packet__expect_it_back_after_the_second_free) {
  rte_mbuf* packet = env_.packets.allocate();
  EXPECT_FALSE(env_.packets.shared(packet));
  env_.packets.share(packet);
  EXPECT_TRUE(env_.packets.shared(packet));
  env_.packets.add_reference(packet);
  env_.packets.free(packet);
  env_.packets.free(packet);
  EXPECT_FALSE(env_.packets.shared(packet));
  EXPECT_EQ(env_.pool.away(), 1u);
  env_.packets.free(packet);
  EXPECT_EQ(env_.pool.away(), 0u);
}

TEST_F(MbufEnvTest, keep_a_packet__expect_the_ports_flag_until_it_is_shared) {
  EXPECT_FALSE(env_.packets.can_keep());
  MbufPackets keeping(env_.pool.get(), kKeep);
  EXPECT_TRUE(keeping.can_keep());
  rte_mbuf* packet = keeping.allocate();
  EXPECT_FALSE(keeping.kept(packet));
  keeping.keep(packet);
  EXPECT_TRUE(keeping.kept(packet));
  EXPECT_EQ(packet->ol_flags & kKeep, kKeep);
  keeping.share(packet);
  EXPECT_FALSE(keeping.kept(packet));
  keeping.free(packet);
  keeping.free(packet);
}

TEST_F(MbufEnvTest, make_queues__expect_each_with_a_name_and_slots_of_its_own) {
  const auto one = env_.env.make_queue(node::LinkId::kReceived, 4);
  const auto other = env_.env.make_queue(node::LinkId::kReceived, 8);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->room(), 4u);
  EXPECT_EQ(other->room(), 8u);
  EXPECT_TRUE(env_.env.make_handle_queue(4));
  EXPECT_NE(unique_name("link"), unique_name("link"));
}

// Frames of a tap on the way in and out.
struct Tap final : PortTap {
  void received(rte_mbuf* const*, uint32_t count) override { in += count; }
  uint16_t transmit(uint16_t port, uint16_t queue, rte_mbuf** frames, uint16_t count) override {
    out += count;
    return rte_eth_tx_burst(port, queue, frames, count);
  }
  uint32_t in = 0;
  uint32_t out = 0;
};

TEST(MbufPortTest, tap_both_ways__expect_the_frames_told_while_it_is_set) {
  const config::Config config = test::rack_config({});
  const auto a = test::started(config, 0);
  const auto b = test::started(config, 1);
  Tap tap;
  for (PortTap* set : {static_cast<PortTap*>(&tap), static_cast<PortTap*>(nullptr)}) {
    a->transmitter().set_tap(set);
    b->receiver().set_tap(set);
    ASSERT_TRUE(test::publish(*a, test::counting_bytes(9)));
    test::run_dry(*a);
    test::run_dry(*b);
    EXPECT_EQ(test::deliveries_of(*b).size(), 1u);
    EXPECT_EQ(tap.in, 2u);  // with the heartbeat that comes first
    EXPECT_EQ(tap.out, 2u);
  }
}

}  // namespace
}  // namespace lambdacast::dpdk
