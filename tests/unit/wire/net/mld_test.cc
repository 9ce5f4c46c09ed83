// SPDX-License-Identifier: BSD-3-Clause
#include "wire/net/mld.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lambdacast::wire {
namespace mld_test {

const Gid kRouter = parse_gid("fe80::fe").value();
const Gid kGroup = parse_gid("ff15::4d:1").value();

struct QuerySpec {
  Gid source = kRouter;
  Gid destination = kAllNodes;
  uint8_t hop_limit = 1;
  bool router_alert = true;
  Gid group;
  size_t message_bytes = 28;
  uint16_t code = 10'000;
};

std::vector<uint8_t> query(const QuerySpec& spec) {
  const size_t head = kIpv6Bytes + (spec.router_alert ? kRouterAlertBytes : 0);
  std::vector<uint8_t> packet(head + spec.message_bytes);
  uint8_t* p = packet.data() + head;
  p[0] = 130;
  base::store_be16(p + 4, spec.code);
  const size_t room = std::min<size_t>(spec.message_bytes - 8, spec.group.bytes.size());
  std::copy_n(spec.group.bytes.begin(), room, p + 8);
  if (spec.message_bytes >= 28) {
    p[24] = 2;
    p[25] = 125;
  }
  Ipv6Header ip;
  ip.source = spec.source;
  ip.destination = spec.destination;
  ip.hop_limit = spec.hop_limit;
  seal_icmpv6(ip, spec.router_alert, spec.message_bytes, packet.data());
  return packet;
}

Parsed parse(const QuerySpec& spec, MembershipQuery& out) {
  const auto packet = query(spec);
  return parse_mld_query(packet.data(), packet.size(), out);
}

TEST(Mld, parse_general_queries_of_both_versions__expect_version_and_response_time) {
  MembershipQuery q;
  ASSERT_EQ(parse({}, q), Parsed::kMessage);
  EXPECT_EQ(q.version, MembershipVersion::kV3);
  EXPECT_TRUE(q.general());
  EXPECT_EQ(q.max_response_ms, 10'000u);
  EXPECT_EQ(q.robustness, 2);
  EXPECT_EQ(q.interval_s, 125);
  ASSERT_EQ(parse({.message_bytes = 24, .code = 500}, q), Parsed::kMessage);
  EXPECT_EQ(q.version, MembershipVersion::kV2);
  EXPECT_EQ(q.max_response_ms, 500u);
}

TEST(Mld, parse_a_group_query__expect_the_group) {
  MembershipQuery q;
  ASSERT_EQ(parse({.destination = kGroup, .group = kGroup}, q), Parsed::kMessage);
  EXPECT_EQ(q.group, kGroup);
}

TEST(Mld, parse_queries_that_a_host_must_ignore__expect_malformed) {
  MembershipQuery q;
  EXPECT_EQ(parse({.source = parse_gid("fd77::1").value()}, q), Parsed::kMalformed);
  EXPECT_EQ(parse({.hop_limit = 2}, q), Parsed::kMalformed);
  EXPECT_EQ(parse({.router_alert = false}, q), Parsed::kMalformed);
  EXPECT_EQ(parse({.destination = kGroup}, q), Parsed::kMalformed);  // general, to a group
  EXPECT_EQ(parse({.message_bytes = 26}, q), Parsed::kMalformed);
  EXPECT_EQ(parse({.message_bytes = 20}, q), Parsed::kMalformed);
  EXPECT_EQ(parse({.group = parse_gid("fd77::1").value()}, q), Parsed::kMalformed);
}

TEST(Mld, store_a_report__expect_records_and_a_right_checksum) {
  const MembershipRecord records[] = {{RecordType::kToExclude, kGroup},
                                      {RecordType::kIsExclude, solicited_node_of(kRouter)}};
  std::vector<uint8_t> packet(mld_report_bytes(2));
  ASSERT_EQ(store_mld_report(kRouter, records, packet.data()), packet.size());
  Icmpv6View view;
  ASSERT_EQ(parse_icmpv6(packet.data(), packet.size(), view), Parsed::kMessage);
  EXPECT_TRUE(view.router_alert);
  EXPECT_EQ(view.ip.hop_limit, 1);
  EXPECT_EQ(view.ip.destination, parse_gid("ff02::16").value());
  EXPECT_EQ(view.message[0], 143);
  EXPECT_EQ(base::load_be16(view.message + 6), 2);
  EXPECT_EQ(view.message[8], 4);
  EXPECT_TRUE(std::equal(kGroup.bytes.begin(), kGroup.bytes.end(), view.message + 12));
  EXPECT_EQ(view.message[28], 2);
  MembershipQuery q;
  EXPECT_EQ(parse_mld_query(packet.data(), packet.size(), q), Parsed::kOther);
}

TEST(Mld, store_messages_of_version_1__expect_where_each_goes) {
  std::vector<uint8_t> packet(kOldMldBytes);
  Icmpv6View view;
  ASSERT_EQ(store_old_mld(OldMembershipMessage::kReportV2, kRouter, kGroup, packet.data()), 72u);
  ASSERT_EQ(parse_icmpv6(packet.data(), packet.size(), view), Parsed::kMessage);
  EXPECT_EQ(view.message[0], 131);
  EXPECT_EQ(view.ip.destination, kGroup);
  (void)store_old_mld(OldMembershipMessage::kLeave, kRouter, kGroup, packet.data());
  ASSERT_EQ(parse_icmpv6(packet.data(), packet.size(), view), Parsed::kMessage);
  EXPECT_EQ(view.message[0], 132);
  EXPECT_EQ(view.ip.destination, parse_gid("ff02::2").value());
}

}  // namespace mld_test
}  // namespace lambdacast::wire
