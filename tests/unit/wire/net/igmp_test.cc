// SPDX-License-Identifier: BSD-3-Clause
#include "wire/net/igmp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "wire/roce/ip.h"

namespace lambdacast::wire {
namespace igmp_test {

const Gid kSource = gid_from_ipv4(0x0a4d0001);
const Gid kGroup = gid_from_ipv4(0xefff4d01);

// A query as a router sends it; what it says from its type on.
std::vector<uint8_t> query(uint32_t destination, std::vector<uint8_t> igmp) {
  Ipv4Header ip;
  ip.total_bytes = static_cast<uint16_t>(kIpv4Bytes + igmp.size());
  ip.ttl = 1;
  ip.protocol = kIpProtocolIgmp;
  ip.source = 0x0a4d00fe;
  ip.destination = destination;
  base::store_be16(&igmp[2], 0);
  const uint16_t sum = fold_sum(internet_sum(igmp.data(), igmp.size() & ~size_t{1}));
  base::store_be16(&igmp[2], static_cast<uint16_t>(~sum));
  std::vector<uint8_t> packet(ip.total_bytes);
  store_ipv4(ip, packet.data());
  std::copy(igmp.begin(), igmp.end(), &packet[kIpv4Bytes]);
  return packet;
}

Parsed parse(const std::vector<uint8_t>& packet, MembershipQuery& out) {
  return parse_igmp_query(packet.data(), packet.size(), out);
}
Parsed verdict(const std::vector<uint8_t>& packet) {
  MembershipQuery ignored;
  return parse(packet, ignored);
}

const std::vector<uint8_t> kGeneralV3 = {0x11, 100, 0, 0, 0, 0, 0, 0, 2, 125, 0, 0};

TEST(Igmp, parse_general_queries__expect_their_version_and_response_time) {
  MembershipQuery q;
  ASSERT_EQ(parse(query(kAllHosts, kGeneralV3), q), Parsed::kMessage);
  EXPECT_EQ(q.version, MembershipVersion::kV3);
  EXPECT_TRUE(q.general());
  EXPECT_EQ(q.max_response_ms, 10'000u);
  EXPECT_EQ(q.robustness, 2);
  EXPECT_EQ(q.interval_s, 125);
  ASSERT_EQ(parse(query(kAllHosts, {0x11, 50, 0, 0, 0, 0, 0, 0}), q), Parsed::kMessage);
  EXPECT_EQ(q.version, MembershipVersion::kV2);
  EXPECT_EQ(q.max_response_ms, 5'000u);
  ASSERT_EQ(parse(query(kAllHosts, {0x11, 0, 0, 0, 0, 0, 0, 0}), q), Parsed::kMessage);
  EXPECT_EQ(q.version, MembershipVersion::kV1);
  EXPECT_EQ(q.max_response_ms, 10'000u);
}

TEST(Igmp, decode_time_codes__expect_the_values_of_rfc_3376) {
  EXPECT_EQ(decode_time_code(127, 4), 127u);
  EXPECT_EQ(decode_time_code(0x80, 4), 128u);
  EXPECT_EQ(decode_time_code(0xff, 4), 31u << 10);
  EXPECT_EQ(decode_time_code(0x7fff, 12), 0x7fffu);
  EXPECT_EQ(decode_time_code(0x8000, 12), 0x8000u);
  EXPECT_EQ(decode_time_code(0xffff, 12), 0x1fffu << 10);
}

TEST(Igmp, parse_group_queries__expect_the_group) {
  const std::vector<uint8_t> igmp = {0x11, 10, 0, 0, 239, 255, 77, 1, 2, 125, 0, 0};
  MembershipQuery q;
  ASSERT_EQ(parse(query(0xefff4d01, igmp), q), Parsed::kMessage);
  EXPECT_EQ(q.group, kGroup);
  EXPECT_FALSE(q.general());
  const std::vector<uint8_t> unicast = {0x11, 10, 0, 0, 10, 255, 77, 1, 2, 125, 0, 0};
  EXPECT_EQ(verdict(query(0xefff4d01, unicast)), Parsed::kMalformed);
}

TEST(Igmp, parse_queries_that_break_a_rule__expect_malformed) {
  EXPECT_EQ(verdict(query(0xefff4d01, kGeneralV3)), Parsed::kMalformed);  // general, to a group
  EXPECT_EQ(verdict(query(kAllHosts, {0x11, 1, 0, 0, 0, 0, 0, 0, 0, 0})), Parsed::kMalformed);
  const auto whole = query(kAllHosts, kGeneralV3);
  for (size_t at = 0; at < whole.size(); ++at) {
    auto damaged = whole;
    damaged[at] ^= 0x40;
    EXPECT_EQ(verdict(damaged), Parsed::kMalformed) << at;
    const std::vector<uint8_t> cut(whole.begin(), whole.begin() + long(at));
    EXPECT_EQ(verdict(cut), Parsed::kMalformed) << at;
  }
}

TEST(Igmp, parse_reports_of_others__expect_other) {
  EXPECT_EQ(verdict(query(0xefff4d01, {0x16, 0, 0, 0, 239, 255, 77, 1})), Parsed::kOther);
  EXPECT_EQ(verdict(query(kAllIgmpRouters, {0x22, 0, 0, 0, 0, 0, 0, 0})), Parsed::kOther);
}

// What Linux sends when a socket joins 239.255.77.1: identification and source apart.
TEST(Igmp, store_a_report__expect_the_bytes_that_linux_sends) {
  const MembershipRecord record{RecordType::kToExclude, kGroup};
  std::vector<uint8_t> packet(igmp_report_bytes(1));
  ASSERT_EQ(store_igmp_report(kSource, {&record, 1}, packet.data()), packet.size());
  const std::vector<uint8_t> wanted = {
      0x46, 0xc0, 0, 40, 0,    0, 0x40, 0,    1, 2, 0xf9, 0xb2, 10, 77, 0, 1, 224, 0,   0,  22,
      0x94, 4,    0, 0,  0x22, 0, 0x9d, 0xfb, 0, 0, 0,    1,    4,  0,  0, 0, 239, 255, 77, 1};
  std::vector<uint8_t> got = packet;
  // The sums follow from the rest; that they are right is checked below.
  for (const size_t at : {10, 11, 26, 27}) got[at] = wanted[at];
  EXPECT_EQ(got, wanted);
  EXPECT_EQ(fold_sum(internet_sum(packet.data(), kIgmpHeaderBytes)), 0xffff);
  EXPECT_EQ(fold_sum(internet_sum(&packet[kIgmpHeaderBytes], 16)), 0xffff);
  EXPECT_EQ(format(igmp_destination(packet.data())), "01:00:5e:00:00:16");
}

TEST(Igmp, store_messages_of_older_versions__expect_where_each_goes) {
  std::vector<uint8_t> packet(igmp_report_bytes(0));
  ASSERT_EQ(store_old_igmp(OldMembershipMessage::kReportV2, kSource, kGroup, packet.data()), 32u);
  EXPECT_EQ(packet[kIgmpHeaderBytes], 0x16);
  EXPECT_EQ(format(igmp_destination(packet.data())), "01:00:5e:7f:4d:01");
  (void)store_old_igmp(OldMembershipMessage::kReportV1, kSource, kGroup, packet.data());
  EXPECT_EQ(packet[kIgmpHeaderBytes], 0x12);
  (void)store_old_igmp(OldMembershipMessage::kLeave, kSource, kGroup, packet.data());
  EXPECT_EQ(packet[kIgmpHeaderBytes], 0x17);
  EXPECT_EQ(format(igmp_destination(packet.data())), "01:00:5e:00:00:02");
}

}  // namespace igmp_test
}  // namespace lambdacast::wire
