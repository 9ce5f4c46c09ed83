// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::net_verbs {
namespace {

using test::Frame;

TEST(Rx, frames_to_both_groups_expect_them_as_sent_at_every_port) {
  const test::Pool pool;
  const test::TestPort a(pool), b(pool);
  std::vector<Frame> sent;
  for (uint32_t i = 0; i < 12; ++i) {
    const char* const group = i % 3 == 0 ? test::kControlGroup : test::kDataGroup;
    auto fields = a.fields(i % 3 == 0 ? 1 : 0, group);
    fields.has_immediate = i % 2 == 0;
    fields.immediate = fields.has_immediate ? 77 + i : 0;
    sent.push_back(test::frame_of(fields, test::message(i, i < 10 ? i * 33 : 4096)));
  }
  ASSERT_EQ(a.send(sent, pool), sent.size());
  for (const test::TestPort* port : {&a, &b}) {
    const std::vector<Frame> got = port->receive(sent.size());
    ASSERT_EQ(got.size(), sent.size());
    for (size_t i = 0; i < sent.size(); ++i) {
      wire::FrameView was, is;
      ASSERT_EQ(wire::parse_frame(sent[i].data(), sent[i].size(), was),
                counters::DropReason::kNone);
      ASSERT_EQ(wire::parse_frame(got[i].data(), got[i].size(), is), counters::DropReason::kNone);
      EXPECT_EQ(is.source_gid, was.source_gid);
      EXPECT_EQ(is.destination_gid, was.destination_gid);
      EXPECT_EQ(is.source_qpn, was.source_qpn);
      EXPECT_EQ(is.destination_qpn, wire::kMulticastQpn);
      EXPECT_EQ(is.qkey, test::kQkey);
      EXPECT_EQ(is.pkey, 0xffff);
      EXPECT_EQ(is.has_immediate, was.has_immediate);
      EXPECT_EQ(is.immediate, was.immediate);
      EXPECT_EQ(is.psn, 0u);
      EXPECT_EQ(test::message_in(got[i]), test::message_in(sent[i])) << i;
    }
    EXPECT_EQ(port->stats().ipackets, sent.size());
    EXPECT_EQ(port->stats().ierrors, 0u);
  }
}

TEST(Rx, unicast_expect_it_at_its_queue_pair_alone) {
  const test::Pool pool;
  const test::TestPort a(pool), b(pool);
  auto fields = a.fields(0, test::kAddress);
  fields.destination_qpn = b.pair(1).number();
  const Frame frame = test::frame_of(fields, test::message(1, 100));
  // The address handle is made while frames are lost.
  ASSERT_TRUE(test::await([&] {
    EXPECT_EQ(a.send({frame}, pool), 1);
    return a.stats().opackets != 0;
  }));
  const auto got = b.receive(1);
  ASSERT_EQ(got.size(), 1u);
  wire::FrameView view;
  ASSERT_EQ(wire::parse_frame(got[0].data(), got[0].size(), view), counters::DropReason::kNone);
  EXPECT_EQ(view.destination_qpn, b.pair(1).number());
  EXPECT_EQ(a.stats().ipackets, 0u);
}

TEST(Rx, own_frames_expect_them_passed_over_and_counted) {
  const test::Pool pool;
  const test::TestPort a(pool, ""), b(pool, "");
  ASSERT_EQ(a.send({test::frame_of(a.fields(0), test::message(1, 100))}, pool), 1);
  ASSERT_EQ(b.send({test::frame_of(b.fields(0), test::message(2, 100))}, pool), 1);
  const auto at_a = a.receive(1), at_b = b.receive(1);
  ASSERT_EQ(at_a.size() + at_b.size(), 2u);
  EXPECT_EQ(test::message_in(at_a[0]), test::message(2, 100));
  EXPECT_EQ(test::message_in(at_b[0]), test::message(1, 100));
  EXPECT_TRUE(test::await([&] {
    rte_mbuf* none[8];
    EXPECT_EQ(rte_eth_rx_burst(b.id(), 0, none, 8), 0);
    return b.xstat("rx_own_frames") == 1;
  }));
  EXPECT_EQ(b.stats().ierrors, 0u);
}

TEST(Rx, more_than_all_receives_hold_expect_them_posted_again) {
  const test::Pool pool;
  const test::TestPort a(pool), b(pool);
  for (uint32_t round = 0; round < 40; ++round) {
    std::vector<Frame> sent;
    for (uint32_t i = 0; i < 8; ++i) {
      sent.push_back(test::frame_of(a.fields(0), test::message(round * 8 + i, 200)));
    }
    ASSERT_EQ(a.send(sent, pool), 8);
    const auto got = b.receive(8);
    ASSERT_EQ(got.size(), 8u);
    for (size_t i = 0; i < 8; ++i) EXPECT_EQ(test::message_in(got[i]), test::message_in(sent[i]));
    (void)a.receive(8);
  }
}

TEST(Rx, pool_run_dry_expect_it_counted_and_the_port_to_go_on) {
  const test::Pool pool(255), sending;
  const test::TestPort a(pool);
  std::vector<rte_mbuf*> taken;
  while (rte_mbuf* m = rte_pktmbuf_alloc(pool.get())) taken.push_back(m);
  std::vector<Frame> sent;
  for (uint32_t i = 0; i < 20; ++i)
    sent.push_back(test::frame_of(a.fields(0), test::message(i, 64)));
  ASSERT_EQ(a.send(sent, sending), 20);
  rte_mbuf* mbufs[20];
  uint16_t got = 0;
  ASSERT_TRUE(test::await([&] {
    got = static_cast<uint16_t>(got + rte_eth_rx_burst(a.id(), 0, mbufs + got, 20 - got));
    return got == 20;
  }));
  EXPECT_GT(a.stats().rx_nombuf, 0u);
  rte_pktmbuf_free_bulk(mbufs, 20);
  for (rte_mbuf* m : taken) rte_pktmbuf_free(m);
  ASSERT_EQ(a.send({sent[0]}, sending), 1);
  EXPECT_EQ(a.receive(1).size(), 1u);
}

TEST(Rx, mbufs_too_small_expect_a_sentence) {
  const test::Pool small(63, 2048);
  (void)test::logged();
  ASSERT_EQ(rte_vdev_init("net_verbs_small", "device=lambdacast0"), 0);
  uint16_t id = 0;
  ASSERT_EQ(rte_eth_dev_get_port_by_name("net_verbs_small", &id), 0);
  rte_eth_conf conf{};
  ASSERT_EQ(rte_eth_dev_configure(id, 1, 1, &conf), 0);
  EXPECT_NE(rte_eth_rx_queue_setup(id, 0, 64, SOCKET_ID_ANY, nullptr, small.get()), 0);
  EXPECT_NE(test::logged().find("messages of 4096 bytes need mbufs with a data room of "),
            std::string::npos);
  rte_vdev_uninit("net_verbs_small");
}

}  // namespace
}  // namespace lambdacast::net_verbs
