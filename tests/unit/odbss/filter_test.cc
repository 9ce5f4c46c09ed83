// SPDX-License-Identifier: BSD-3-Clause
// Which frames a port takes: the AddressFilter alone, and through the ethdev operations.
#include <gtest/gtest.h>

#include <cstring>

#include "odbss_filter.h"
#include "support.h"

namespace lambdacast::odbss {
namespace {

using test::Pool;
using test::Port;

const rte_ether_addr kOwn = {{0x02, 0, 0, 0, 0, 1}};
const rte_ether_addr kOther = {{0x02, 0, 0, 0, 0, 2}};

bool accepts(const AddressFilter& filter, const rte_ether_addr& address) {
  uint8_t frame[8] = {};
  std::memcpy(frame, address.addr_bytes, 6);
  frame[6] = 0xff;  // the source address does not count
  return filter.accepts(frame);
}

TEST(AddressFilter, nothing_set_expect_broadcast_alone) {
  const AddressFilter filter;
  EXPECT_TRUE(accepts(filter, test::kBroadcast));
  EXPECT_FALSE(accepts(filter, kOwn));
  EXPECT_FALSE(accepts(filter, test::kGroup));
  EXPECT_FALSE(accepts(filter, rte_ether_addr{}));
}

TEST(AddressFilter, unicast_entries_expect_exactly_these) {
  AddressFilter filter;
  filter.set_unicast(0, kOwn);
  filter.set_unicast(AddressFilter::kUnicastEntries - 1, kOther);
  EXPECT_TRUE(accepts(filter, kOwn));
  EXPECT_TRUE(accepts(filter, kOther));
  EXPECT_FALSE(accepts(filter, {{0x02, 0, 0, 0, 0, 3}}));
  EXPECT_FALSE(accepts(filter, rte_ether_addr{}));  // the empty entries between
  filter.set_unicast(0, rte_ether_addr{});
  EXPECT_FALSE(accepts(filter, kOwn));
}

TEST(AddressFilter, multicast_list_expect_the_last_one_alone) {
  AddressFilter filter;
  const rte_ether_addr groups[] = {test::kGroup, {{0x33, 0x33, 0, 0, 0, 1}}};
  filter.set_multicast(groups, 2);
  EXPECT_TRUE(accepts(filter, groups[0]));
  EXPECT_TRUE(accepts(filter, groups[1]));
  filter.set_multicast(groups + 1, 1);
  EXPECT_FALSE(accepts(filter, groups[0]));
  filter.set_multicast(nullptr, 0);
  EXPECT_FALSE(accepts(filter, groups[1]));
  EXPECT_TRUE(accepts(filter, test::kBroadcast));
}

TEST(AddressFilter, all_multicast_expect_groups_promiscuous_expect_everything) {
  AddressFilter filter;
  filter.set_all_multicast(true);
  EXPECT_TRUE(accepts(filter, test::kGroup));
  EXPECT_FALSE(accepts(filter, kOwn));
  filter.set_promiscuous(true);
  EXPECT_TRUE(accepts(filter, kOwn));
  EXPECT_TRUE(accepts(filter, rte_ether_addr{}));
  filter.set_promiscuous(false);
  filter.set_all_multicast(false);
  EXPECT_FALSE(accepts(filter, test::kGroup));
}

class FilteredPort : public ::testing::Test {
 protected:
  // How many of one frame to each of these addresses come through.
  std::size_t taken(std::initializer_list<rte_ether_addr> addresses) {
    std::vector<test::Frame> frames;
    for (const auto& address : addresses) frames.push_back(test::frame(1, 64, address));
    const uint64_t filtered = receiver_.xstat("filtered");
    sender_.send(frames, pool_);
    const std::size_t count = receiver_.receive().size();
    EXPECT_EQ(receiver_.xstat("filtered") - filtered, frames.size() - count);
    EXPECT_EQ(receiver_.accounted(), sender_.stats().opackets);
    return count;
  }
  std::string args_ = "fabric=" + test::fresh_fabric() +
                      ",wavelengths=2,slots=64,frame_bytes=1522,mac=02:00:00:00:00:0";
  Pool pool_;
  Port sender_{args_ + "9,wavelength=0", pool_};
  Port receiver_{args_ + "1,wavelength=1", pool_, {.promiscuous = false}};
};

TEST_F(FilteredPort, fresh_expect_own_address_and_broadcast) {
  EXPECT_EQ(taken({kOwn, test::kBroadcast}), 2u);
  EXPECT_EQ(taken({kOther, test::kGroup}), 0u);
}

TEST_F(FilteredPort, promiscuous_and_all_multicast_expect_on_and_off) {
  rte_eth_promiscuous_enable(receiver_.id());
  EXPECT_EQ(taken({kOther, test::kGroup}), 2u);
  rte_eth_promiscuous_disable(receiver_.id());
  rte_eth_allmulticast_enable(receiver_.id());
  EXPECT_EQ(taken({kOther, test::kGroup}), 1u);
  rte_eth_allmulticast_disable(receiver_.id());
  EXPECT_EQ(taken({kOther, test::kGroup}), 0u);
}

TEST_F(FilteredPort, mac_list_expect_added_and_removed_addresses_to_count) {
  rte_ether_addr other = kOther;
  ASSERT_EQ(rte_eth_dev_mac_addr_add(receiver_.id(), &other, 0), 0);
  EXPECT_EQ(taken({kOwn, kOther}), 2u);
  ASSERT_EQ(rte_eth_dev_mac_addr_remove(receiver_.id(), &other), 0);
  EXPECT_EQ(taken({kOwn, kOther}), 1u);
  ASSERT_EQ(rte_eth_dev_default_mac_addr_set(receiver_.id(), &other), 0);
  EXPECT_EQ(taken({kOther}), 1u);
  EXPECT_EQ(taken({kOwn}), 0u);
}

TEST_F(FilteredPort, multicast_list_expect_its_groups_too_long_a_list_expect_refused) {
  rte_ether_addr group = test::kGroup;
  ASSERT_EQ(rte_eth_dev_set_mc_addr_list(receiver_.id(), &group, 1), 0);
  EXPECT_EQ(taken({test::kGroup, {{0x33, 0x33, 0, 0, 0, 1}}}), 1u);
  std::vector<rte_ether_addr> many(AddressFilter::kMulticastEntries + 1, group);
  (void)test::logged();
  EXPECT_EQ(
      rte_eth_dev_set_mc_addr_list(receiver_.id(), many.data(), static_cast<uint32_t>(many.size())),
      -ENOSPC);
  EXPECT_NE(test::logged().find("257 multicast addresses asked for, at most 256"),
            std::string::npos);
  EXPECT_EQ(taken({test::kGroup}), 1u);
  ASSERT_EQ(rte_eth_dev_set_mc_addr_list(receiver_.id(), nullptr, 0), 0);
  EXPECT_EQ(taken({test::kGroup}), 0u);
}

}  // namespace
}  // namespace lambdacast::odbss
