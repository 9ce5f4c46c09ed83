// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/attachment.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include <set>

#include "support.h"

namespace lambdacast::dpdk {
namespace {

class AttachmentTest : public ::testing::Test {
 protected:
  // An endpoint of its own on a real port, with further keys.
  static config::Endpoint endpoint(const std::string& keys) {
    return test::parsed("[[endpoint]]\nname = \"n\"\naddress = \"203.0.113.1\"\npath_mtu = 256\n" +
                        keys)
        .endpoints[0];
  }
  test::Pool pool_{4095};
};

TEST_F(AttachmentTest, open_a_port__expect_it_polled_and_not_the_fabric) {
  auto attachment = Attachment::open(endpoint("port = \"net_null_a0\"\n"), {}, pool_.get());
  ASSERT_TRUE(attachment) << attachment.error().message;
  EXPECT_FALSE(attachment->is_embedded_fabric());
  ASSERT_EQ(attachment->rx_queues().size(), 1u);
  EXPECT_EQ(attachment->rx_queues()[0].port, attachment->port().id());
  EXPECT_TRUE(attachment->rx_ports().empty());
  ASSERT_TRUE(attachment->start());
  attachment->stop();
}

TEST_F(AttachmentTest, open_receive_ports__expect_them_polled_in_place_of_the_port) {
  const uint16_t before = rte_eth_dev_count_avail();
  {
    auto attachment = Attachment::open(
        endpoint("port = \"net_null_a0\"\nrx_ports = [\"net_null_a1\", \"net_null_a2\"]\n"), {},
        pool_.get());
    ASSERT_TRUE(attachment) << attachment.error().message;
    ASSERT_EQ(attachment->rx_queues().size(), 2u);
    for (const RxQueue& queue : attachment->rx_queues()) {
      EXPECT_NE(queue.port, attachment->port().id());
    }
    ASSERT_TRUE(attachment->start());
    EXPECT_EQ(rte_eth_dev_count_avail(), before + 3);
    // net_null gives as many frames as are asked for.
    ReceiveQueues queues(attachment->rx_queues());
    rte_mbuf* frames[8];
    std::set<uint16_t> heard;
    for (int i = 0; i < 2; ++i) {
      const uint16_t got = queues.burst(frames, 8);
      ASSERT_EQ(got, 8u);
      heard.insert(frames[0]->port);
      rte_pktmbuf_free_bulk(frames, got);
    }
    EXPECT_EQ(heard.size(), 2u);
    EXPECT_EQ(attachment->statistics().rx_packets, 16u);
    attachment->stop();
  }
  EXPECT_EQ(rte_eth_dev_count_avail(), before);
}

TEST_F(AttachmentTest, name_the_port_among_the_receive_ports__expect_it_polled_too) {
  auto attachment = Attachment::open(
      endpoint("port = \"net_null_a0,size=64\"\nrx_ports = [\"net_null_a0\", \"net_null_a1\"]\n"),
      {}, pool_.get());
  ASSERT_TRUE(attachment) << attachment.error().message;
  EXPECT_EQ(attachment->rx_ports().size(), 1u);
  EXPECT_EQ(attachment->rx_queues().size(), 2u);
}

TEST_F(AttachmentTest, open_one_that_is_not_there__expect_none_left) {
  const uint16_t before = rte_eth_dev_count_avail();
  const auto attachment = Attachment::open(
      endpoint("port = \"net_null_a0\"\nrx_ports = [\"net_nonesuch0\"]\n"), {}, pool_.get());
  ASSERT_FALSE(attachment);
  EXPECT_TRUE(attachment.error().message.starts_with("port net_nonesuch0 cannot be attached"));
  EXPECT_EQ(rte_eth_dev_count_avail(), before);
}

TEST_F(AttachmentTest, ask_for_a_queue_a_wavelength__expect_as_many_as_the_fabric_has) {
  test::RackSpec spec;
  spec.nodes = 1;
  spec.wavelengths = 4;
  spec.extra = {"rx_queues = \"wavelength\""};
  const config::Config config = test::rack_config(spec);
  auto attachment = Attachment::open(config.endpoints[0], config.fabric, pool_.get());
  ASSERT_TRUE(attachment) << attachment.error().message;
  EXPECT_TRUE(attachment->is_embedded_fabric());
  EXPECT_EQ(attachment->rx_queues().size(), 3u);  // its own is not heard
}

TEST_F(AttachmentTest, take_an_address_of_the_kernel__expect_a_refusal_that_names_the_interface) {
  config::Endpoint loopback = endpoint("port = \"net_null_a0\"\n");
  loopback.address.gid = wire::gid_from_ipv4(0x7f000001);
  loopback.address.text = "127.0.0.1";
  const auto attachment = Attachment::open(loopback, {}, pool_.get());
  if (attachment) GTEST_SKIP() << "no loopback address here";
  EXPECT_EQ(attachment.error().message,
            "address 127.0.0.1 is the kernel's, on lo, and both would answer for it; use another, "
            "or: ip addr del 127.0.0.1 dev lo");
}

}  // namespace
}  // namespace lambdacast::dpdk
