// SPDX-License-Identifier: BSD-3-Clause
#include "wire/net/icmpv6.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::wire {
namespace icmpv6_test {

Ipv6Header header() {
  Ipv6Header ip;
  ip.source = parse_gid("fe80::1").value();
  ip.destination = parse_gid("ff02::16").value();
  ip.hop_limit = 1;
  return ip;
}

// A packet around a message of that many bytes.
std::vector<uint8_t> packet(bool router_alert, size_t message_bytes) {
  std::vector<uint8_t> bytes(kIpv6Bytes + (router_alert ? kRouterAlertBytes : 0) + message_bytes);
  for (size_t i = 1; i <= message_bytes; ++i) bytes[bytes.size() - i] = static_cast<uint8_t>(7 * i);
  EXPECT_EQ(seal_icmpv6(header(), router_alert, message_bytes, bytes.data()), bytes.size());
  return bytes;
}

TEST(Icmpv6, parse_what_was_sealed__expect_header_alert_and_message) {
  for (const bool alert : {false, true}) {
    for (const size_t message_bytes : {4, 5, 24, 31}) {
      const auto bytes = packet(alert, message_bytes);
      Icmpv6View view;
      ASSERT_EQ(parse_icmpv6(bytes.data(), bytes.size(), view), Parsed::kMessage);
      EXPECT_EQ(view.ip.source, header().source);
      EXPECT_EQ(view.ip.hop_limit, 1);
      EXPECT_EQ(view.router_alert, alert);
      EXPECT_EQ(view.message_bytes, message_bytes);
    }
  }
}

TEST(Icmpv6, change_any_bit_that_the_checksum_covers__expect_malformed) {
  const auto bytes = packet(false, 24);
  for (size_t at = 8; at < bytes.size(); ++at) {
    auto damaged = bytes;
    damaged[at] ^= 0x10;
    Icmpv6View view;
    EXPECT_EQ(parse_icmpv6(damaged.data(), damaged.size(), view), Parsed::kMalformed) << at;
  }
}

TEST(Icmpv6, cut_a_packet_anywhere__expect_malformed) {
  const auto bytes = packet(true, 24);
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + long(length));
    Icmpv6View view;
    EXPECT_EQ(parse_icmpv6(cut.data(), cut.size(), view), Parsed::kMalformed) << length;
  }
}

TEST(Icmpv6, parse_options_that_reach_beyond_their_header__expect_malformed) {
  auto bytes = packet(true, 24);
  bytes[kIpv6Bytes + 7] = 9;  // the PadN's length
  Icmpv6View view;
  EXPECT_EQ(parse_icmpv6(bytes.data(), bytes.size(), view), Parsed::kMalformed);
  bytes = packet(true, 24);
  bytes[kIpv6Bytes + 1] = 40;  // the header's own
  EXPECT_EQ(parse_icmpv6(bytes.data(), bytes.size(), view), Parsed::kMalformed);
}

TEST(Icmpv6, parse_another_protocol__expect_other) {
  auto bytes = packet(false, 24);
  bytes[6] = 17;
  Icmpv6View view;
  EXPECT_EQ(parse_icmpv6(bytes.data(), bytes.size(), view), Parsed::kOther);
}

TEST(Icmpv6, derive_addresses__expect_those_of_rfc_4291) {
  const MacAddress mac = parse_mac("34:56:78:9a:bc:de").value();
  EXPECT_EQ(format(link_local_of(mac)), "fe80::3656:78ff:fe9a:bcde");
  const Gid gid = parse_gid("4037::01:800:200e:8c6c").value();
  EXPECT_EQ(format(solicited_node_of(gid)), "ff02::1:ff0e:8c6c");
  EXPECT_TRUE(is_link_local(link_local_of(mac)));
  EXPECT_FALSE(is_link_local(gid));
  EXPECT_TRUE(is_unspecified(parse_gid("::").value()));
}

}  // namespace icmpv6_test
}  // namespace lambdacast::wire
