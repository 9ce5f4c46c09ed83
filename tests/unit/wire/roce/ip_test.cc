// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/ip.h"

#include <gtest/gtest.h>

#include <array>

namespace lambdacast::wire {
namespace {

TEST(FoldSum, CarriesComeRound) {
  EXPECT_EQ(fold_sum(0xffff), 0xffff);
  EXPECT_EQ(fold_sum(0x10000), 1);
  EXPECT_EQ(fold_sum(0x1ffff), 1);
  EXPECT_EQ(fold_sum(0xffffffff), 0xffff);
}

TEST(StoreIpv4, SameBytesAsLinux) {
  // The header of a captured Soft-RoCE frame (mc_v4.pcap, the first one).
  const std::array<uint8_t, kIpv4Bytes> captured{0x45, 0x00, 0x00, 0x74, 0x0f, 0x29, 0x40,
                                                 0x00, 0x40, 0x11, 0x30, 0x00, 0x0a, 0x4d,
                                                 0x00, 0x03, 0xef, 0xff, 0x01, 0x01};
  std::array<uint8_t, kIpv4Bytes> out;
  Ipv4Header h = load_ipv4(captured.data());
  store_ipv4(h, out.data());
  EXPECT_EQ(out, captured);
  EXPECT_EQ(fold_sum(internet_sum(out.data(), out.size())), 0xffff);
}

TEST(LoadIpv4, FragmentBits) {
  std::array<uint8_t, kIpv4Bytes> bytes{0x45};
  EXPECT_FALSE(load_ipv4(bytes.data()).is_fragment);
  bytes[6] = 0x40;
  EXPECT_TRUE(load_ipv4(bytes.data()).dont_fragment);
  EXPECT_FALSE(load_ipv4(bytes.data()).is_fragment);
  bytes[6] = 0x20;  // more fragments
  EXPECT_TRUE(load_ipv4(bytes.data()).is_fragment);
  bytes[6] = 0;
  bytes[7] = 1;  // the second 8 bytes of a packet
  EXPECT_TRUE(load_ipv4(bytes.data()).is_fragment);
}

TEST(StoreIpv6, ReadsBack) {
  Ipv6Header h;
  h.traffic_class = 0xb8;
  h.flow_label = 0x54321;
  h.payload_bytes = 0x1020;
  h.next_header = kIpProtocolUdp;
  h.hop_limit = 64;
  h.source = parse_gid("fd77::3").value();
  h.destination = parse_gid("ff0e::1").value();
  std::array<uint8_t, kIpv6Bytes> bytes;
  store_ipv6(h, bytes.data());
  EXPECT_EQ(base::load_be32(bytes.data()), 0x6b854321u);
  const Ipv6Header read = load_ipv6(bytes.data());
  EXPECT_EQ(read.traffic_class, h.traffic_class);
  EXPECT_EQ(read.flow_label, h.flow_label);
  EXPECT_EQ(read.payload_bytes, h.payload_bytes);
  EXPECT_EQ(read.source, h.source);
  EXPECT_EQ(read.destination, h.destination);
}

}  // namespace
}  // namespace lambdacast::wire
