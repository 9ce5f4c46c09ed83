// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/link_header.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::wire {
namespace {

LinkHeader header(bool tagged) {
  LinkHeader h;
  h.destination = parse_mac("01:00:5e:00:00:16").value();
  h.source = parse_mac("52:54:00:77:00:03").value();
  h.ether_type = kEtherTypeIpv4;
  h.has_vlan = tagged;
  h.vlan_tci = tagged ? 0x604d : 0;
  return h;
}

TEST(LinkHeader, load_what_was_stored__expect_the_same) {
  for (const bool tagged : {false, true}) {
    std::vector<uint8_t> frame(header(tagged).bytes());
    store_link(header(tagged), frame.data());
    LinkHeader read;
    ASSERT_TRUE(load_link(frame.data(), frame.size(), read));
    EXPECT_EQ(read.destination, header(tagged).destination);
    EXPECT_EQ(read.source, header(tagged).source);
    EXPECT_EQ(read.ether_type, kEtherTypeIpv4);
    EXPECT_EQ(read.vlan_id(), tagged ? 77 : 0);
    EXPECT_EQ(read.bytes(), tagged ? 18u : 14u);
    EXPECT_FALSE(load_link(frame.data(), frame.size() - 1, read));
  }
}

TEST(LinkHeader, load_a_priority_tag__expect_no_vlan) {
  LinkHeader h = header(true);
  h.vlan_tci = 0xe000;
  EXPECT_EQ(h.vlan_id(), 0);
}

TEST(LinkHeader, tell_unicast_addresses__expect_neither_groups_nor_zero) {
  EXPECT_TRUE(is_unicast(header(false).source));
  EXPECT_FALSE(is_unicast(header(false).destination));
  EXPECT_FALSE(is_unicast(kBroadcastMac));
  EXPECT_FALSE(is_unicast(MacAddress{}));
}

}  // namespace
}  // namespace lambdacast::wire
