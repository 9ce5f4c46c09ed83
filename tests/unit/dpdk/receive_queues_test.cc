// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/receive_queues.h"

#include <gtest/gtest.h>

#include "dpdk/port.h"
#include "support.h"

namespace lambdacast::dpdk {
namespace {

// A port of a fabric with a receive queue for each of the other two wavelengths.
class ReceiveQueuesTest : public ::testing::Test {
 protected:
  ReceiveQueuesTest() {
    PortConfig config;
    config.device = "net_odbss_rq,fabric=" + fabric_ +
                    ",wavelength=C21,wavelengths=3,slots=256,frame_bytes=1518,rx_queues=wavelength";
    config.mtu = 1000;
    config.all_rx_queues = true;
    auto opened = Port::open(config, pool_.get());
    EXPECT_TRUE(opened) << opened.error().message;
    port_ = std::move(*opened);
    EXPECT_TRUE(port_->receive_multicast({group_}) && port_->start());
    std::vector<RxQueue> queues;
    for (uint16_t i = 0; i < port_->rx_queues(); ++i) queues.push_back({port_->id(), i});
    queues_.emplace(queues);
  }

  static void send(test::Light& light, uint32_t count) {
    std::vector<uint8_t> frame(64, 0);
    std::copy(group_.bytes.begin(), group_.bytes.end(), frame.begin());
    for (uint32_t i = 0; i < count; ++i) light.send(frame);
  }
  uint16_t poll(uint16_t wanted) {
    rte_mbuf* frames[64];
    const uint16_t got = queues_->burst(frames, wanted);
    if (got != 0) rte_pktmbuf_free_bulk(frames, got);
    return got;
  }

  static constexpr wire::MacAddress group_{{1, 0, 0x5e, 0x7f, 0x4d, 1}};
  std::string fabric_ = test::fresh_fabric();
  test::Pool pool_;
  std::unique_ptr<Port> port_;
  std::optional<ReceiveQueues> queues_;
};

TEST_F(ReceiveQueuesTest, frames_on_all_queues__expect_one_burst_of_all) {
  ASSERT_EQ(queues_->queues().size(), 2u);
  test::Light a(fabric_, 1);
  test::Light b(fabric_, 2);
  EXPECT_EQ(poll(32), 0u);
  send(a, 3);
  send(b, 4);
  EXPECT_EQ(poll(32), 7u);
  EXPECT_EQ(poll(32), 0u);
}

TEST_F(ReceiveQueuesTest, one_queue_full__expect_the_other_to_have_its_turn) {
  test::Light a(fabric_, 1);
  test::Light b(fabric_, 2);
  send(a, 100);
  send(b, 2);
  uint32_t got = 0;
  for (int i = 0; i < 2; ++i) got += poll(8);
  // Of the second poll two are b's; the rest of it are a's again.
  EXPECT_EQ(got, 16u);
  EXPECT_EQ(port_->statistics().extended_or_zero("wl2_frames"), 2u);
}

TEST_F(ReceiveQueuesTest, ask_for_fewer_than_there_are__expect_no_more) {
  test::Light a(fabric_, 1);
  send(a, 10);
  EXPECT_EQ(poll(4), 4u);
  EXPECT_EQ(poll(32), 6u);
}

}  // namespace
}  // namespace lambdacast::dpdk
