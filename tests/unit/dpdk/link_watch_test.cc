// SPDX-License-Identifier: BSD-3-Clause
// With ports of the embedded fabric, whose link ethdev tells of; the kernel's interfaces are the
// smoke tests' (tests/smoke/lambdacast_links.sh).
#include "dpdk/link_watch.h"

#include <ethdev_driver.h>
#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::dpdk {
namespace {

class LinkWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* wavelength : {"C21", "C22"}) {
      PortConfig config;
      config.device = "net_odbss_" + std::string(wavelength) + ",fabric=" + fabric_ +
                      ",wavelength=" + wavelength + ",wavelengths=4,slots=256,frame_bytes=1518";
      config.mtu = 1000;
      auto port = Port::open(config, pool_.get());
      ASSERT_TRUE(port) << port.error().message;
      ports_.push_back(std::move(*port));
    }
  }
  [[nodiscard]] std::vector<Port*> ports() const { return {ports_[0].get(), ports_[1].get()}; }

  test::Pool pool_;
  std::string fabric_ = test::fresh_fabric();
  std::vector<std::unique_ptr<Port>> ports_;
};

TEST_F(LinkWatchTest, look_for_the_first_time__expect_what_is_not_up_and_no_change_after_that) {
  ASSERT_TRUE(ports_[0]->start());
  LinkWatch watch(ports());
  EXPECT_EQ(watch.look(), (std::vector<LinkChange>{{1, LinkState::kDown}}));
  EXPECT_TRUE(watch.look().empty());
  EXPECT_EQ(watch.state(0), LinkState::kUp);
  EXPECT_EQ(watch.state(1), LinkState::kDown);
}

TEST_F(LinkWatchTest, take_a_link_down_and_up__expect_each_told_once_and_counted_at_its_port) {
  for (const auto& port : ports_) ASSERT_TRUE(port->start());
  LinkWatch watch(ports());
  EXPECT_TRUE(watch.look().empty());
  ports_[1]->stop();
  EXPECT_EQ(watch.look(), (std::vector<LinkChange>{{1, LinkState::kDown}}));
  EXPECT_TRUE(watch.look().empty());
  ASSERT_TRUE(ports_[1]->start());
  EXPECT_EQ(watch.look(), (std::vector<LinkChange>{{1, LinkState::kUp}}));
  EXPECT_EQ(ports_[0]->link_changes(), 0u);
  EXPECT_EQ(ports_[1]->link_changes(), 2u);
}

TEST_F(LinkWatchTest, go_down_and_up_between_two_looks__expect_both_told) {
  for (const auto& port : ports_) ASSERT_TRUE(port->start());
  LinkWatch watch(ports());
  rte_eth_dev_callback_process(&rte_eth_devices[ports_[0]->id()], RTE_ETH_EVENT_INTR_LSC, nullptr);
  const std::vector<LinkChange> wanted = {{0, LinkState::kDown}, {0, LinkState::kUp}};
  EXPECT_EQ(watch.look(), wanted);
}

TEST_F(LinkWatchTest, take_the_device_away__expect_it_gone_for_good) {
  for (const auto& port : ports_) ASSERT_TRUE(port->start());
  LinkWatch watch(ports());
  rte_eth_dev_callback_process(&rte_eth_devices[ports_[0]->id()], RTE_ETH_EVENT_INTR_RMV, nullptr);
  EXPECT_EQ(watch.look(), (std::vector<LinkChange>{{0, LinkState::kGone}}));
  ports_[0]->stop();
  EXPECT_TRUE(watch.look().empty());
}

}  // namespace
}  // namespace lambdacast::dpdk
