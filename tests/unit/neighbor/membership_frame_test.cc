// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/membership_frame.h"

#include <gtest/gtest.h>

#include <vector>

#include "wire/net/igmp.h"

namespace lambdacast::neighbor {
namespace {

using wire::RecordType;

const MembershipSpeaker kSpeaker{
    {{2, 0, 0, 0, 0, 1}}, {}, wire::gid_from_ipv4(0x0a4d0001), wire::parse_gid("fe80::1").value()};

std::vector<uint8_t> frame_of(const MembershipSpeaker& speaker, const char* group, bool old,
                              wire::LinkHeader& link) {
  GroupMembership::Message message;
  message.old = old;
  message.count = 1;
  message.records[0] = {RecordType::kToExclude, wire::parse_gid(group).value()};
  std::vector<uint8_t> frame(kMaxMembershipFrameBytes);
  frame.resize(store_membership_frame(speaker, message, frame.data()));
  EXPECT_TRUE(wire::load_link(frame.data(), frame.size(), link));
  return frame;
}

TEST(MembershipFrame, igmp_report__expect_it_at_all_igmp_routers) {
  wire::LinkHeader link;
  const auto frame = frame_of(kSpeaker, "239.255.9.9", false, link);
  EXPECT_EQ(frame.size(), 14 + wire::igmp_report_bytes(1));
  EXPECT_EQ(link.destination, wire::multicast_mac(wire::gid_from_ipv4(wire::kAllIgmpRouters)));
  EXPECT_EQ(link.source, kSpeaker.mac);
  EXPECT_EQ(link.ether_type, wire::kEtherTypeIpv4);
}

TEST(MembershipFrame, old_igmp_report_in_a_vlan__expect_it_at_the_group_and_tagged) {
  MembershipSpeaker tagged = kSpeaker;
  tagged.vlan_tci = 77;
  wire::LinkHeader link;
  const auto frame = frame_of(tagged, "239.255.9.9", true, link);
  EXPECT_EQ(frame.size(), 18 + wire::igmp_report_bytes(0));
  EXPECT_EQ(link.destination, wire::multicast_mac(wire::parse_gid("239.255.9.9").value()));
  EXPECT_EQ(link.vlan_id(), 77);
}

TEST(MembershipFrame, mld_report__expect_it_from_the_link_local_address) {
  wire::LinkHeader link;
  const auto frame = frame_of(kSpeaker, "ff15::9", false, link);
  EXPECT_EQ(frame.size(), 14 + wire::mld_report_bytes(1));
  EXPECT_EQ(link.destination, wire::multicast_mac(wire::kAllMldRouters));
  EXPECT_EQ(wire::load_ipv6(&frame[14]).source, kSpeaker.link_local);
  EXPECT_EQ(frame_of(kSpeaker, "ff15::9", true, link).size(), 14 + wire::kOldMldBytes);
}

}  // namespace
}  // namespace lambdacast::neighbor
