// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/eal_device.h"

#include <gtest/gtest.h>
#include <rte_dev.h>
#include <rte_ethdev.h>

#include "support.h"

namespace lambdacast::dpdk {
namespace {

TEST(EalDeviceTest, take_one_away__expect_its_arguments_once_its_port_is_closed) {
  const std::string device =
      "net_odbss_away,fabric=" + test::fresh_fabric() + ",wavelength=C21,wavelengths=4";
  for (int life = 0; life < 2; ++life) {
    ASSERT_EQ(rte_dev_probe(device.c_str()), 0);
    uint16_t port = 0;
    ASSERT_EQ(rte_eth_dev_get_port_by_name("net_odbss_away", &port), 0);
    rte_eth_dev_info info;
    ASSERT_EQ(rte_eth_dev_info_get(port, &info), 0);
    EXPECT_EQ(take_away_device(info.device), "");
    ASSERT_EQ(rte_eth_dev_close(port), 0);
    // Which is why it has to be taken away.
    (void)rte_dev_probe(device.c_str());
    EXPECT_NE(rte_eth_dev_get_port_by_name("net_odbss_away", &port), 0);
    EXPECT_EQ(take_away_device(info.device), device);
  }
}

}  // namespace
}  // namespace lambdacast::dpdk
