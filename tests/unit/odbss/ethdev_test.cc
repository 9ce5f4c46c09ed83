// SPDX-License-Identifier: BSD-3-Clause
// Probing, configuration and the life of a port.
#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::odbss {
namespace ethdev_test {

using test::Pool;
using test::Port;

const std::string kSmall = ",wavelengths=4,slots=64,frame_bytes=4464";

class EthdevTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string args(const std::string& more) const {
    return "fabric=" + fabric_ + kSmall + "," + more;
  }
  std::string fabric_ = test::fresh_fabric();
};

TEST_F(EthdevTest, wavelength_owned_already_expect_one_sentence) {
  const Port owner(args("wavelength=C22"));
  EXPECT_EQ(test::probe_error(args("wavelength=C22")),
            "wavelength=C22: wavelength 1 of fabric " + fabric_ +
                " already has a transmitter: this process; choose another wavelength or end it");
}

TEST_F(EthdevTest, another_geometry_expect_one_sentence_naming_both) {
  const Port first(args("wavelength=0"));
  EXPECT_EQ(test::probe_error("fabric=" + fabric_ + ",wavelength=1,slots=128"),
            "fabric " + fabric_ +
                " has slots=64, this port asks for slots=128; use the same value "
                "or another fabric name");
}

TEST_F(EthdevTest, wavelength_or_selection_off_the_fabric_expect_one_sentence) {
  EXPECT_EQ(test::probe_error(args("wavelength=C25")),
            "wavelength=C25: wavelength 4 is not on fabric " + fabric_ + ", which has 4");
  EXPECT_EQ(test::probe_error(args("wavelength=0,select=1:7")),
            "select=C28 is not on fabric " + fabric_ + ", which has wavelengths C21 to C24");
}

TEST_F(EthdevTest, frames_too_short_for_ethernet_expect_one_sentence) {
  EXPECT_EQ(test::probe_error("fabric=" + fabric_ + ",wavelength=0,wavelengths=1,frame_bytes=64"),
            "frame_bytes=64 is too small for an Ethernet port; allowed: 86 or more");
}

TEST_F(EthdevTest, failed_probe_and_closed_ports_expect_no_file_left) {
  (void)test::probe_error(args("wavelength=C60"));
  EXPECT_TRUE(test::files_of(fabric_).empty());
  for (int again = 0; again < 3; ++again) {
    const Port port(args("wavelength=0"));
    EXPECT_EQ(test::files_of(fabric_).size(), 1u);
  }
  EXPECT_TRUE(test::files_of(fabric_).empty());
}

TEST_F(EthdevTest, info_expect_what_the_fabric_allows) {
  const Port port(args("wavelength=0"));
  rte_eth_dev_info info;
  ASSERT_EQ(rte_eth_dev_info_get(port.id(), &info), 0);
  EXPECT_GE(info.max_mtu, 4200);
  EXPECT_EQ(info.max_rx_pktlen, 4464u);
  EXPECT_EQ(info.max_rx_queues, 1);
  EXPECT_EQ(info.max_tx_queues, 1);
  EXPECT_STREQ(info.driver_name, "net_odbss");
  const Port many(args("wavelength=1,rx_queues=wavelength"));
  ASSERT_EQ(rte_eth_dev_info_get(many.id(), &info), 0);
  EXPECT_EQ(info.max_rx_queues, 3);  // all but its own
}

TEST_F(EthdevTest, second_transmit_queue_expect_refused) {
  const Port port(args("wavelength=0"));
  const rte_eth_conf conf{};
  EXPECT_NE(rte_eth_dev_configure(port.id(), 1, 2, &conf), 0);
}

TEST_F(EthdevTest, nothing_to_listen_to_expect_a_port_that_starts) {
  const Pool pool;
  const Port port("fabric=" + fabric_ + ",wavelengths=1,slots=64,wavelength=0,rx_queues=wavelength",
                  pool);
  EXPECT_TRUE(port.receive().empty());
}

TEST_F(EthdevTest, mbuf_too_small_expect_queue_set_up_to_name_the_size_needed) {
  const Pool pool(64, 2048);
  Port port(args("wavelength=0"));
  (void)test::logged();
  EXPECT_EQ(port.start(pool, {.mtu = 4172}), -EINVAL);
  const std::string text = test::logged();
  EXPECT_NE(text.find("MTU 4172 needs mbufs with a data room of 4318 bytes"), std::string::npos)
      << text;
  EXPECT_NE(text.find("has 2048; use larger mbufs, a smaller MTU or the scatter offload"),
            std::string::npos)
      << text;
}

TEST_F(EthdevTest, mbufs_of_4318_bytes_expect_mtu_4172_taken_which_carries_4096_bytes_of_roce) {
  const Pool pool(64, 4318);
  const Port port(args("wavelength=0"), pool, {.mtu = 4172});
  uint16_t mtu = 0;
  EXPECT_EQ(rte_eth_dev_get_mtu(port.id(), &mtu), 0);
  EXPECT_EQ(mtu, 4172);
}

TEST_F(EthdevTest, mtu_set_beyond_the_mbufs_or_the_fabric_expect_refused) {
  const Pool pool(64, 2176);
  const Port port(args("wavelength=0"), pool);
  EXPECT_EQ(rte_eth_dev_set_mtu(port.id(), 4200), -EINVAL);
  EXPECT_NE(rte_eth_dev_set_mtu(port.id(), 4447), 0);
  EXPECT_EQ(rte_eth_dev_set_mtu(port.id(), 2030), 0);
  EXPECT_EQ(rte_eth_dev_set_mtu(port.id(), 2031), -EINVAL);
}

TEST_F(EthdevTest, link_expect_up_while_started) {
  const Pool pool;
  Port port(args("wavelength=0"));
  rte_eth_link link;
  ASSERT_EQ(rte_eth_link_get_nowait(port.id(), &link), 0);
  EXPECT_EQ(link.link_status, RTE_ETH_LINK_DOWN);
  ASSERT_EQ(port.start(pool), 0);
  ASSERT_EQ(rte_eth_link_get(port.id(), &link), 0);
  EXPECT_EQ(link.link_status, RTE_ETH_LINK_UP);
  EXPECT_EQ(link.link_duplex, RTE_ETH_LINK_FULL_DUPLEX);
  ASSERT_EQ(rte_eth_dev_stop(port.id()), 0);
  ASSERT_EQ(rte_eth_link_get_nowait(port.id(), &link), 0);
  EXPECT_EQ(link.link_status, RTE_ETH_LINK_DOWN);
}

TEST_F(EthdevTest, stopped_and_started_expect_to_hear_from_the_head_on) {
  const Pool pool;
  const Port sender(args("wavelength=0"), pool);
  Port receiver(args("wavelength=1"), pool);
  sender.send(test::frames(0, 5), pool);
  EXPECT_EQ(receiver.receive().size(), 5u);
  ASSERT_EQ(rte_eth_dev_stop(receiver.id()), 0);
  sender.send(test::frames(5, 5), pool);
  ASSERT_EQ(rte_eth_dev_start(receiver.id()), 0);
  sender.send(test::frames(10, 5), pool);
  EXPECT_EQ(receiver.receive(), test::frames(10, 5));
  EXPECT_EQ(receiver.stats().ipackets, 10u);
}

TEST_F(EthdevTest, configured_anew_after_traffic_and_a_reset_expect_statistics_to_go_on) {
  const Pool pool;
  Port sender(args("wavelength=0"), pool);
  Port receiver(args("wavelength=1,rx_queues=wavelength"), pool);
  sender.send(test::frames(0, 5), pool);
  (void)receiver.receive();
  rte_eth_stats_reset(receiver.id());
  rte_eth_stats_reset(sender.id());
  sender.send(test::frames(0, 3), pool);
  (void)receiver.receive();
  for (const uint16_t queues : {3, 1, 2}) {
    for (Port* port : {&receiver, &sender}) ASSERT_EQ(rte_eth_dev_stop(port->id()), 0);
    ASSERT_EQ(sender.start(pool), 0);
    ASSERT_EQ(receiver.start(pool, {.rx_queues = queues}), 0);
    EXPECT_EQ(receiver.stats().ipackets, 3u) << queues;
    EXPECT_EQ(receiver.xstat("wl0_frames"), 3u) << queues;
    EXPECT_EQ(sender.stats().opackets, 3u) << queues;
  }
}

TEST_F(EthdevTest, close_expect_the_wavelength_free_again) {
  {
    const Pool pool;
    const Port port(args("wavelength=0"), pool);
  }
  EXPECT_EQ(test::probe_error(args("wavelength=0")), "");
}

}  // namespace ethdev_test
}  // namespace lambdacast::odbss
