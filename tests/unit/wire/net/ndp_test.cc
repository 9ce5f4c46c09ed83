// SPDX-License-Identifier: BSD-3-Clause
#include "wire/net/ndp.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::wire {
namespace ndp_test {

NeighborMessage solicitation() {
  NeighborMessage m;
  m.source = parse_gid("fd77::1").value();
  m.target = parse_gid("fd77::2").value();
  m.destination = solicited_node_of(m.target);
  m.link_address = parse_mac("52:54:00:77:00:03").value();
  return m;
}

NeighborMessage advertisement() {
  NeighborMessage m;
  m.is_advertisement = m.solicited = m.replaces = true;
  m.source = m.target = parse_gid("fd77::2").value();
  m.destination = parse_gid("fd77::1").value();
  m.link_address = parse_mac("52:54:00:77:00:04").value();
  return m;
}

std::vector<uint8_t> bytes_of(const NeighborMessage& m) {
  std::vector<uint8_t> bytes(kMaxNeighborBytes);
  bytes.resize(store_neighbor(m, bytes.data()));
  return bytes;
}

Parsed verdict(const std::vector<uint8_t>& bytes) {
  NeighborMessage m;
  return parse_neighbor(bytes.data(), bytes.size(), m);
}

// The packet after a change that its checksum follows.
std::vector<uint8_t> resealed(std::vector<uint8_t> bytes, size_t at, uint8_t value) {
  bytes[at] = value;
  const Ipv6Header ip = load_ipv6(bytes.data());
  seal_icmpv6(ip, false, bytes.size() - kIpv6Bytes, bytes.data());
  return bytes;
}

TEST(Ndp, parse_what_was_stored__expect_the_same_message) {
  for (const NeighborMessage& wanted : {solicitation(), advertisement()}) {
    const auto bytes = bytes_of(wanted);
    NeighborMessage m;
    ASSERT_EQ(parse_neighbor(bytes.data(), bytes.size(), m), Parsed::kMessage);
    EXPECT_EQ(m.is_advertisement, wanted.is_advertisement);
    EXPECT_EQ(m.router, wanted.router);
    EXPECT_EQ(m.solicited, wanted.solicited);
    EXPECT_EQ(m.replaces, wanted.replaces);
    EXPECT_EQ(m.source, wanted.source);
    EXPECT_EQ(m.destination, wanted.destination);
    EXPECT_EQ(m.target, wanted.target);
    EXPECT_EQ(m.link_address, wanted.link_address);
  }
}

TEST(Ndp, parse_a_probe_for_a_free_address__expect_it_without_a_sender) {
  NeighborMessage m = solicitation();
  m.source = {};
  EXPECT_EQ(verdict(bytes_of(m)), Parsed::kMalformed);  // with a source address option
  m.link_address.reset();
  EXPECT_EQ(verdict(bytes_of(m)), Parsed::kMessage);
  m.destination = m.target;
  EXPECT_EQ(verdict(bytes_of(m)), Parsed::kMalformed);  // not to the solicited-node group
}

TEST(Ndp, parse_what_came_from_off_the_link__expect_malformed) {
  for (const NeighborMessage& m : {solicitation(), advertisement()}) {
    auto bytes = bytes_of(m);
    bytes[7] = 254;  // hop limit: no checksum covers it
    EXPECT_EQ(verdict(bytes), Parsed::kMalformed);
  }
}

TEST(Ndp, parse_messages_that_break_a_rule__expect_malformed) {
  NeighborMessage m = solicitation();
  m.target = parse_gid("ff02::1").value();
  EXPECT_EQ(verdict(bytes_of(m)), Parsed::kMalformed);  // a group as target
  m = advertisement();
  m.destination = parse_gid("ff02::1").value();
  EXPECT_EQ(verdict(bytes_of(m)), Parsed::kMalformed);  // solicited by a group
  m = advertisement();
  m.link_address = kBroadcastMac;
  EXPECT_EQ(verdict(bytes_of(m)), Parsed::kMalformed);
  EXPECT_EQ(verdict(resealed(bytes_of(solicitation()), kIpv6Bytes + 1, 1)), Parsed::kMalformed);
  // An option of no length would be read for ever.
  EXPECT_EQ(verdict(resealed(bytes_of(solicitation()), kIpv6Bytes + 25, 0)), Parsed::kMalformed);
  EXPECT_EQ(verdict(resealed(bytes_of(solicitation()), kIpv6Bytes + 25, 2)), Parsed::kMalformed);
}

TEST(Ndp, parse_a_router_advertisement__expect_other) {
  EXPECT_EQ(verdict(resealed(bytes_of(advertisement()), kIpv6Bytes, 134)), Parsed::kOther);
}

TEST(Ndp, parse_an_option_of_another_kind__expect_no_address) {
  const auto bytes = resealed(bytes_of(solicitation()), kIpv6Bytes + 24, 14);  // nonce
  NeighborMessage m;
  ASSERT_EQ(parse_neighbor(bytes.data(), bytes.size(), m), Parsed::kMessage);
  EXPECT_FALSE(m.link_address);
}

}  // namespace ndp_test
}  // namespace lambdacast::wire
