// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/port.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include <filesystem>

#include "support.h"

namespace lambdacast::dpdk {
namespace {

class PortTest : public ::testing::Test {
 protected:
  [[nodiscard]] PortConfig on_fabric(const std::string& name, const std::string& wavelength,
                                     const std::string& more = "") const {
    PortConfig config;
    config.device = name + ",fabric=" + fabric_ + ",wavelength=" + wavelength +
                    ",wavelengths=4,slots=256,frame_bytes=1518" + more;
    config.mtu = 1000;
    return config;
  }
  // The sentence of a port that must not come up, and proof that it left nothing behind.
  std::string refused(const PortConfig& config) {
    const uint16_t ports = rte_eth_dev_count_avail();
    const auto files = test::files_of_fabrics();
    const auto port = Port::open(config, pool_.get());
    EXPECT_EQ(rte_eth_dev_count_avail(), ports);
    EXPECT_EQ(test::files_of_fabrics(), files);
    EXPECT_EQ(pool_.away(), 0u);
    return port ? "it opened" : port.error().message;
  }

  test::Pool pool_;
  std::string fabric_ = test::fresh_fabric();
};

TEST_F(PortTest, open_and_start_one__expect_its_name_driver_and_link) {
  auto port = Port::open(on_fabric("net_odbss_t0", "C21"), pool_.get());
  ASSERT_TRUE(port) << port.error().message;
  EXPECT_EQ((*port)->name(), "net_odbss_t0");
  EXPECT_EQ((*port)->driver(), "net_odbss");
  EXPECT_TRUE((*port)->is_embedded_fabric());
  EXPECT_FALSE((*port)->link_up());
  ASSERT_TRUE((*port)->start());
  EXPECT_TRUE((*port)->link_up());
  (*port)->stop();
  EXPECT_FALSE((*port)->link_up());
}

TEST_F(PortTest, destroy_the_only_port__expect_no_port_and_no_file_left) {
  const uint16_t ports = rte_eth_dev_count_avail();
  std::string data;
  {
    auto port = Port::open(on_fabric("net_odbss_t0", "C21"), pool_.get());
    ASSERT_TRUE(port && (*port)->start());
    data = (*fabric::Fabric::attach(fabric_, {}))->data_path();
    EXPECT_TRUE(std::filesystem::exists(data));
    EXPECT_EQ(test::files_of_fabrics().size(), 1u);
  }
  EXPECT_EQ(rte_eth_dev_count_avail(), ports);
  EXPECT_TRUE(test::files_of_fabrics().empty());
  EXPECT_FALSE(std::filesystem::exists(data)) << data;
  EXPECT_EQ(pool_.away(), 0u);
}

TEST_F(PortTest, open_a_wavelength_that_is_owned__expect_who_owns_what) {
  const auto owner = Port::open(on_fabric("net_odbss_t0", "C22"), pool_.get());
  ASSERT_TRUE(owner);
  EXPECT_EQ(refused(on_fabric("net_odbss_t1", "C22")),
            "port net_odbss_t1 cannot be attached: wavelength=C22: wavelength 1 of fabric " +
                fabric_ +
                " already has a transmitter: this process; choose another wavelength or end it");
  EXPECT_TRUE(Port::open(on_fabric("net_odbss_t1", "C23"), pool_.get()));
}

TEST_F(PortTest, open_one_twice__expect_the_second_refused_and_the_first_undisturbed) {
  auto first = Port::open(on_fabric("net_odbss_t0", "C22"), pool_.get());
  ASSERT_TRUE(first);
  EXPECT_EQ(refused(on_fabric("net_odbss_t0", "C23")),
            "port net_odbss_t0 is in use by another endpoint of this process");
  EXPECT_TRUE((*first)->start());
  EXPECT_EQ(refused(on_fabric("net_odbss_t0", "C23")),
            "port net_odbss_t0 is in use by another endpoint of this process");
  EXPECT_TRUE((*first)->link_up());
}

// As with --vdev or -a: the device is EAL's.
TEST_F(PortTest, open_a_port_of_eals_again_and_again__expect_it_with_the_arguments_that_it_had) {
  const std::string device = on_fabric("net_odbss_eal", "C23").device;
  ASSERT_EQ(rte_dev_probe(device.c_str()), 0);
  PortConfig by_name;
  by_name.device = "net_odbss_eal";
  by_name.mtu = 1000;
  for (int life = 0; life < 3; ++life) {
    auto port = Port::open(by_name, pool_.get());
    ASSERT_TRUE(port) << port.error().message;
    EXPECT_TRUE((*port)->is_embedded_fabric());
    ASSERT_TRUE((*port)->start());
    auto other = Port::open(on_fabric("net_odbss_t1", "C23"), pool_.get());
    ASSERT_FALSE(other);  // it has the wavelength of its arguments
    EXPECT_NE(other.error().message.find("C23"), std::string::npos) << other.error().message;
  }
}

TEST_F(PortTest, open_a_fabric_of_another_geometry__expect_both_named) {
  const auto first = Port::open(on_fabric("net_odbss_t0", "C21"), pool_.get());
  ASSERT_TRUE(first);
  PortConfig config = on_fabric("net_odbss_t1", "C22");
  config.device.replace(config.device.find("slots=256"), 9, "slots=512");
  EXPECT_EQ(refused(config),
            "port net_odbss_t1 cannot be attached: fabric " + fabric_ +
                " has slots=256, this port asks for slots=512; use the same value or another "
                "fabric name");
}

TEST_F(PortTest, ask_for_too_large_an_mtu__expect_the_limit_and_the_remedy) {
  PortConfig config = on_fabric("net_odbss_t0", "C21");
  config.mtu = 4172;
  EXPECT_EQ(refused(config),
            "port net_odbss_t0 takes an MTU of at most 1500 bytes, this path MTU needs 4172; use "
            "path_mtu = 1024 or less");
  EXPECT_TRUE(test::files_of_fabrics().empty());
  config.mtu = 1500;
  EXPECT_TRUE(Port::open(config, pool_.get()));
}

TEST_F(PortTest, open_with_mbufs_too_small__expect_what_would_do) {
  rte_mempool* small = rte_pktmbuf_pool_create("test_small", 63, 0, 64, 512, SOCKET_ID_ANY);
  const auto port = Port::open(on_fabric("net_odbss_t0", "C21"), small);
  ASSERT_FALSE(port);
  EXPECT_TRUE(port.error().message.starts_with(
      "port net_odbss_t0: receive queue set-up failed: MTU 1000 needs mbufs with a data room of "))
      << port.error().message;
  EXPECT_TRUE(test::files_of_fabrics().empty());
  rte_mempool_free(small);
}

TEST_F(PortTest, open_devices_that_are_not_there__expect_one_sentence_each) {
  for (const char* device : {"net_nonesuch0", "net_af_packet9,iface=nonexistent0", "0000:ff:1f.7",
                             "net_odbss_t0,wavelength=C99"}) {
    PortConfig config;
    config.device = device;
    const std::string sentence = refused(config);
    const std::string name = std::string(device).substr(0, std::string(device).find(','));
    const std::string begin = "port " + name + " cannot be attached: ";
    EXPECT_TRUE(sentence.starts_with(begin)) << sentence;
    EXPECT_GT(sentence.size(), begin.size()) << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  }
}

TEST_F(PortTest, receive_on_a_port_without_a_multicast_list__expect_the_next_best) {
  PortConfig config;
  config.device = "net_null_t0";
  config.mtu = 1000;
  auto port = Port::open(config, pool_.get());
  if (!port) GTEST_SKIP() << port.error().message;
  EXPECT_FALSE((*port)->is_embedded_fabric());
  const auto filter = (*port)->receive_multicast({wire::MacAddress{{1, 0, 0x5e, 0, 0, 1}}});
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_NE(*filter, MulticastFilter::kMacList);
  EXPECT_STREQ(name(MulticastFilter::kMacList), "MAC list");
  EXPECT_STREQ(name(MulticastFilter::kAllMulticast), "all multicast");
  EXPECT_STREQ(name(MulticastFilter::kPromiscuous), "promiscuous");
}

TEST_F(PortTest, change_the_groups__expect_only_frames_to_them_to_come_in) {
  auto port = Port::open(on_fabric("net_odbss_t0", "C21"), pool_.get());
  ASSERT_TRUE(port && (*port)->start());
  test::Light light(fabric_, 2);
  const wire::MacAddress group{{1, 0, 0x5e, 0x7f, 0x4d, 1}};
  std::vector<uint8_t> frame(64, 0);
  std::copy(group.bytes.begin(), group.bytes.end(), frame.begin());
  const auto received = [&] {
    light.send(frame);
    rte_mbuf* m = nullptr;
    const uint16_t count = rte_eth_rx_burst((*port)->id(), 0, &m, 1);
    if (count == 1) rte_pktmbuf_free(m);
    return count == 1;
  };
  EXPECT_FALSE(received());
  ASSERT_TRUE((*port)->receive_multicast({group}));
  EXPECT_TRUE(received());
  ASSERT_TRUE((*port)->receive_multicast({}));
  EXPECT_FALSE(received());
  const PortStatistics statistics = (*port)->statistics();
  EXPECT_EQ(statistics.rx_packets, 1u);
  EXPECT_EQ(statistics.rx_bytes, 64u);
  EXPECT_EQ(statistics.extended_or_zero("filtered"), 2u);
}

}  // namespace
}  // namespace lambdacast::dpdk
