// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.h"

#include <gtest/gtest.h>

namespace lambdacast::config {
namespace {

TEST(ParseIp, v4_has_a_mapped_gid) {
  const auto address = parse_ip("10.77.0.1");
  ASSERT_TRUE(address);
  EXPECT_FALSE(address->is_v6);
  EXPECT_EQ(address->text, "10.77.0.1");
  EXPECT_EQ(address->gid, wire::gid_from_ipv4(0x0a4d0001));
}

TEST(ParseIp, v6_is_its_gid_however_spelt) {
  const auto address = parse_ip("fd00::1");
  ASSERT_TRUE(address);
  EXPECT_TRUE(address->is_v6);
  EXPECT_EQ(address->gid.bytes[0], 0xfd);
  EXPECT_EQ(address->gid.bytes[15], 1);
  EXPECT_EQ(*address, parse_ip("FD00:0:0::0001").value());
}

TEST(ParseIp, refuses_other_text) {
  for (const char* bad : {"", "10.0.0", "10.0.0.256", "10.0.0.1/24", " 10.0.0.1", "node0",
                          "fd00::1%eth0", "fd00:::1", "::ffff:10.0.0.1"}) {
    EXPECT_FALSE(parse_ip(bad)) << bad;
  }
  EXPECT_FALSE(parse_ip(std::string_view("10.0.0.1\0junk", 13)));
}

TEST(IsUnicast, excludes_what_no_endpoint_can_be) {
  for (const char* good :
       {"10.0.0.1", "1.0.0.0", "223.255.255.255", "fd00::1", "fe80::1", "2001:db8::1"}) {
    EXPECT_TRUE(is_unicast(parse_ip(good).value())) << good;
  }
  for (const char* bad : {"0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1",
                          "255.255.255.255", "::", "::1", "ff02::1"}) {
    EXPECT_FALSE(is_unicast(parse_ip(bad).value())) << bad;
  }
}

TEST(IsMulticast, both_families) {
  EXPECT_TRUE(is_multicast(parse_ip("224.0.0.0").value()));
  EXPECT_TRUE(is_multicast(parse_ip("239.255.255.255").value()));
  EXPECT_TRUE(is_multicast(parse_ip("ff15::4d:1").value()));
  EXPECT_FALSE(is_multicast(parse_ip("223.255.255.255").value()));
  EXPECT_FALSE(is_multicast(parse_ip("240.0.0.0").value()));
  EXPECT_FALSE(is_multicast(parse_ip("fe80::1").value()));
}

TEST(IsUnicastMac, neither_a_group_nor_zero) {
  EXPECT_TRUE(is_unicast(wire::MacAddress{{2, 0, 0, 0, 0, 1}}));
  EXPECT_FALSE(is_unicast(wire::MacAddress{{1, 0, 0x5e, 0, 0, 1}}));
  EXPECT_FALSE(is_unicast(wire::MacAddress{}));
}

TEST(IsDevice, pci_and_virtual) {
  for (const char* good : {"0000:3b:00.0", "3b:00.7", "net_af_packet0,iface=veth0", "net_null0",
                           "0000:3B:00.1,arg=1", "eth_pcap0", "vmbus:dead-beef"}) {
    EXPECT_TRUE(is_device(good)) << good;
  }
  for (const char* bad : {"", ",iface=veth0", "0000:3b:00.8", "0000:3b:00", "0net", "net null0",
                          "net_null0,\x01", "-l", "/dev/null"}) {
    EXPECT_FALSE(is_device(bad)) << bad;
  }
  EXPECT_FALSE(is_device(std::string(64, 'a')));
  EXPECT_FALSE(is_device("net_null0," + std::string(256, 'a')));
}

TEST(VerbsPort, of_device_and_port_expect_both) {
  const auto first = verbs_port("verbs:mlx5_0");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->device, "mlx5_0");
  EXPECT_EQ(first->port, 1);
  const auto second = verbs_port("verbs:roce-p1.2/2");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->device, "roce-p1.2");
  EXPECT_EQ(second->port, 2);
  for (const char* bad : {"verbs:", "verbs:a/", "verbs:a/0", "verbs:a/255", "verbs:a/1x",
                          "verbs:/1", "verbs:a b", "verbs:a,b=c", "mlx5_0", "net_null0"}) {
    EXPECT_FALSE(verbs_port(bad)) << bad;
  }
}

TEST(IsPort, of_either_kind_expect_true) {
  for (const char* good : {"net_null0", "0000:3b:00.0", "verbs:rxe0"}) {
    EXPECT_TRUE(is_port(good)) << good;
  }
  EXPECT_FALSE(is_port("verbs:"));
  EXPECT_FALSE(is_device("verbs:rxe0"));
}

TEST(DeviceName, is_before_the_first_comma) {
  EXPECT_EQ(device_name("net_af_packet0,iface=veth0,blocksz=1"), "net_af_packet0");
  EXPECT_EQ(device_name("0000:3b:00.0"), "0000:3b:00.0");
}

}  // namespace
}  // namespace lambdacast::config
