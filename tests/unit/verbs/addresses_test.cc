// SPDX-License-Identifier: BSD-3-Clause
#include "addresses.h"

#include <gtest/gtest.h>

#include "wire/roce/link_header.h"

namespace lambdacast::verbs {
namespace {

TEST(Addresses, FollowFromTheIpv4Address) {
  const Addresses addresses(0x0a4d0001);
  EXPECT_EQ(wire::format(addresses.mac()), "02:4f:0a:4d:00:01");
  EXPECT_EQ(wire::format(addresses.gid(0)), "fe80::4f:aff:fe4d:1");
  EXPECT_EQ(wire::format(addresses.gid(1)), "10.77.0.1");
  EXPECT_EQ(addresses.gid(2), wire::Gid{});
  EXPECT_EQ(addresses.gid(kGidTableEntries - 1), wire::Gid{});
  EXPECT_TRUE(addresses.is_own(addresses.gid(0)));
  EXPECT_TRUE(addresses.is_own(addresses.gid(1)));
  EXPECT_FALSE(addresses.is_own(*wire::parse_gid("10.77.0.2")));
}

TEST(Addresses, AMacAddressIsFoundBackFromEitherGid) {
  const Addresses addresses(0xc0a80142);
  EXPECT_EQ(destination_mac(addresses.gid(0)), addresses.mac());
  EXPECT_EQ(destination_mac(addresses.gid(1)), addresses.mac());
}

TEST(Addresses, GroupsHaveTheStandardMacAddresses) {
  EXPECT_EQ(wire::format(destination_mac(*wire::parse_gid("239.255.1.1"))), "01:00:5e:7f:01:01");
  EXPECT_EQ(wire::format(destination_mac(*wire::parse_gid("ff0e::1:2345:6789"))),
            "33:33:23:45:67:89");
}

TEST(Addresses, WhatHasNoMacAddressGoesToAll) {
  EXPECT_EQ(destination_mac(*wire::parse_gid("fd77::1")), wire::kBroadcastMac);
  EXPECT_EQ(destination_mac(*wire::parse_gid("fe80::1:2:3:4")), wire::kBroadcastMac);
  // Its address would be a group's.
  EXPECT_FALSE(mac_of_link_local(*wire::parse_gid("fe80::300:ff:fe00:1")));
}

}  // namespace
}  // namespace lambdacast::verbs
