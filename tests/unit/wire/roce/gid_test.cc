// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/gid.h"

#include <gtest/gtest.h>

#include <unordered_set>

namespace lambdacast::wire {
namespace {

Gid gid(std::string_view text) { return parse_gid(text).value(); }

TEST(ParseMac, ReadsBothCases) {
  const MacAddress expected{{0x52, 0x54, 0x00, 0xab, 0xcd, 0xef}};
  EXPECT_EQ(parse_mac("52:54:00:ab:cd:ef").value(), expected);
  EXPECT_EQ(parse_mac("52:54:00:AB:CD:EF").value(), expected);
}

TEST(ParseMac, RefusesAllElseAndNamesIt) {
  for (const char* text : {"", "52:54:00:ab:cd", "52:54:00:ab:cd:ef:01", "52:54:00:ab:cd:e",
                           "52-54-00-ab-cd-ef", "52:54:00:ab:cd:eg", "525400abcdef     "}) {
    const auto mac = parse_mac(text);
    ASSERT_FALSE(mac) << text;
    EXPECT_NE(mac.error().message.find(text), std::string::npos);
  }
}

TEST(FormatMac, ReadsBack) {
  const std::string text = "01:00:5e:7f:01:01";
  EXPECT_EQ(format(parse_mac(text).value()), text);
}

TEST(ParseGid, DottedQuadBecomesMapped) {
  EXPECT_EQ(gid("10.0.0.1"), gid("::ffff:10.0.0.1"));
  EXPECT_EQ(gid("10.0.0.1"), gid("::ffff:a00:1"));
  EXPECT_EQ(gid("10.0.0.1"), gid_from_ipv4(0x0a000001));
}

TEST(ParseGid, Ipv6InNetworkOrder) {
  const Gid expected{{0xfd, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  EXPECT_EQ(gid("fd77::1"), expected);
}

TEST(ParseGid, RefusesAllElseAndNamesIt) {
  for (const char* text : {"", "10.0.0", "10.0.0.256", "10.0.0.1/24", "fd77::1::2", "fd77::1%eth0",
                           "host", " 10.0.0.1"}) {
    const auto result = parse_gid(text);
    ASSERT_FALSE(result) << text;
    EXPECT_NE(result.error().message.find(text), std::string::npos);
  }
}

TEST(ParseGid, NulInsideDoesNotHideTheRest) {
  EXPECT_FALSE(parse_gid(std::string_view("10.0.0.1\0junk", 13)));
}

TEST(FormatGid, ShortestFormReadsBack) {
  for (const char* text :
       {"10.0.0.1", "239.255.1.1", "fd77::1", "ff0e::1:2345:6789", "::", "::1"}) {
    EXPECT_EQ(format(gid(text)), text);
    EXPECT_EQ(gid(format(gid(text))), gid(text));
  }
}

TEST(IsIpv4Mapped, AllTwelveBytesCount) {
  const Gid mapped = gid("10.0.0.1");
  EXPECT_TRUE(is_ipv4_mapped(mapped));
  for (size_t i = 0; i < 12; ++i) {
    Gid other = mapped;
    other.bytes[i] ^= 1;
    EXPECT_FALSE(is_ipv4_mapped(other)) << i;
  }
}

TEST(Ipv4Of, UndoesGidFromIpv4) { EXPECT_EQ(ipv4_of(gid_from_ipv4(0xefff0101)), 0xefff0101u); }

TEST(IsMulticast, Ipv4ClassD) {
  EXPECT_FALSE(is_multicast(gid("223.255.255.255")));
  EXPECT_TRUE(is_multicast(gid("224.0.0.0")));
  EXPECT_TRUE(is_multicast(gid("239.255.255.255")));
  EXPECT_FALSE(is_multicast(gid("240.0.0.0")));
}

TEST(IsMulticast, Ipv6FirstByte) {
  EXPECT_TRUE(is_multicast(gid("ff02::1")));
  EXPECT_FALSE(is_multicast(gid("fe80::1")));
  // The last four bytes look like 239.1.1.1, but the address is not v4-mapped.
  EXPECT_FALSE(is_multicast(gid("fd77::ef01:101")));
}

TEST(MulticastMac, Ipv4Low23Bits) {
  EXPECT_EQ(format(multicast_mac(gid("239.255.1.1"))), "01:00:5e:7f:01:01");
  EXPECT_EQ(format(multicast_mac(gid("239.129.2.3"))), "01:00:5e:01:02:03");
  EXPECT_EQ(multicast_mac(gid("224.1.2.3")), multicast_mac(gid("239.129.2.3")));
}

TEST(MulticastMac, Ipv6Low32Bits) {
  EXPECT_EQ(format(multicast_mac(gid("ff0e::1:2345:6789"))), "33:33:23:45:67:89");
}

TEST(Hash, EveryByteMatters) {
  std::unordered_set<uint64_t> seen{hash(Gid{})};
  for (size_t i = 0; i < 16; ++i) {
    Gid other;
    other.bytes[i] = 1;
    EXPECT_TRUE(seen.insert(hash(other)).second) << i;
  }
}

}  // namespace
}  // namespace lambdacast::wire
