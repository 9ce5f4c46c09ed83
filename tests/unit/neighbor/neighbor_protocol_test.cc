// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/neighbor_protocol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lambdacast::neighbor {
namespace neighbor_protocol_test {

using counters::NeighborEvent;
using Frame = std::vector<uint8_t>;
using Taken = NeighborProtocol::Taken;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr wire::MacAddress kMac{{2, 0, 0, 0, 0x10, 1}};
constexpr wire::MacAddress kPeerMac{{2, 0, 0, 0, 0, 2}};
const wire::Gid kV4 = wire::gid_from_ipv4(0x0a4d0001);
const wire::Gid kPeerV4 = wire::gid_from_ipv4(0x0a4d0002);
const wire::Gid kV6 = wire::parse_gid("fd77::1").value();
const wire::Gid kPeerV6 = wire::parse_gid("fd77::2").value();

NeighborConfig config(bool ipv6, std::optional<uint16_t> vlan = {}) {
  NeighborConfig c;
  c.mac = kMac;
  c.gid = ipv6 ? kV6 : kV4;
  c.vlan_tci = vlan;
  c.groups = {wire::parse_gid(ipv6 ? "ff15::4d:1" : "239.255.77.1").value()};
  return c;
}

Frame with_link(const wire::MacAddress& to, uint16_t type, const Frame& l3,
                std::optional<uint16_t> vlan = {}) {
  wire::LinkHeader link;
  link.destination = to;
  link.source = kPeerMac;
  link.has_vlan = vlan.has_value();
  link.vlan_tci = vlan.value_or(0);
  link.ether_type = type;
  Frame frame(link.bytes());
  wire::store_link(link, frame.data());
  frame.insert(frame.end(), l3.begin(), l3.end());
  return frame;
}

Frame arp(const wire::ArpMessage& message, std::optional<uint16_t> vlan = {}) {
  Frame l3(wire::kArpBytes);
  wire::store_arp(message, l3.data());
  return with_link(wire::kBroadcastMac, wire::kEtherTypeArp, l3, vlan);
}
const wire::ArpMessage kWhoHasUs{false, kPeerMac, 0x0a4d0002, {}, 0x0a4d0001};

Frame neighbor(const wire::NeighborMessage& message) {
  Frame l3(wire::kMaxNeighborBytes);
  l3.resize(wire::store_neighbor(message, l3.data()));
  return with_link(wire::multicast_mac(wire::kAllNodes), wire::kEtherTypeIpv6, l3);
}
wire::NeighborMessage solicitation(const wire::Gid& source) {
  wire::NeighborMessage m;
  m.source = source;
  m.target = kV6;
  m.destination = wire::solicited_node_of(kV6);
  if (!wire::is_unspecified(source)) m.link_address = kPeerMac;
  return m;
}

Taken give(NeighborProtocol& core, const Frame& frame, uint64_t now_ns = 0) {
  return core.receive(frame.data(), frame.size(), now_ns);
}

Frame next(NeighborProtocol& core, uint64_t now_ns = 0) {
  Frame frame(kMaxNeighborFrameBytes);
  frame.resize(core.transmit(now_ns, frame.data()));
  return frame;
}

wire::ArpMessage as_arp(const Frame& frame, size_t link_bytes = 14) {
  wire::ArpMessage m;
  EXPECT_GT(frame.size(), link_bytes);
  EXPECT_EQ(wire::parse_arp(frame.data() + link_bytes, frame.size() - link_bytes, m),
            wire::Parsed::kMessage);
  return m;
}

wire::NeighborMessage as_neighbor(const Frame& frame) {
  wire::NeighborMessage m;
  EXPECT_GT(frame.size(), 14u);
  EXPECT_EQ(wire::parse_neighbor(frame.data() + 14, frame.size() - 14, m), wire::Parsed::kMessage);
  return m;
}

TEST(NeighborProtocol, receive_an_arp_request_for_us__expect_a_reply_to_its_sender) {
  NeighborProtocol core(config(false));
  EXPECT_EQ(core.next_deadline_ns(), kNever);
  EXPECT_EQ(give(core, arp(kWhoHasUs)), Taken::kTaken);
  EXPECT_EQ(core.next_deadline_ns(), 0u);
  const Frame frame = next(core);
  EXPECT_EQ(wire::destination_mac(frame.data()), kPeerMac);
  EXPECT_EQ(wire::source_mac(frame.data()), kMac);
  const wire::ArpMessage reply = as_arp(frame);
  EXPECT_TRUE(reply.is_reply);
  EXPECT_EQ(reply.sender_mac, kMac);
  EXPECT_EQ(reply.sender, 0x0a4d0001u);
  EXPECT_EQ(reply.target_mac, kPeerMac);
  EXPECT_EQ(reply.target, 0x0a4d0002u);
  EXPECT_TRUE(next(core).empty());
  // RFC 826: who asks will be spoken to.
  EXPECT_EQ(core.table().find(kPeerV4).mac, kPeerMac);
}

TEST(NeighborProtocol, receive_requests_for_others__expect_no_reply) {
  NeighborProtocol core(config(false));
  wire::ArpMessage m = kWhoHasUs;
  m.target = 0x0a4d0003;
  EXPECT_EQ(give(core, arp(m)), Taken::kTaken);
  EXPECT_TRUE(next(core).empty());
  EXPECT_EQ(core.table().find(kPeerV4).state, NeighborState::kNone);
}

TEST(NeighborProtocol, receive_in_a_vlan__expect_answers_in_it_and_no_others_looked_at) {
  NeighborProtocol core(config(false, 77));
  EXPECT_EQ(give(core, arp(kWhoHasUs)), Taken::kOtherVlan);
  EXPECT_EQ(give(core, arp(kWhoHasUs, 78)), Taken::kOtherVlan);
  EXPECT_EQ(give(core, arp(kWhoHasUs, 0xe000 | 77)), Taken::kTaken);
  const Frame frame = next(core);
  wire::LinkHeader link;
  ASSERT_TRUE(wire::load_link(frame.data(), frame.size(), link));
  EXPECT_EQ(link.vlan_id(), 77);
  EXPECT_TRUE(as_arp(frame, 18).is_reply);
  NeighborProtocol untagged(config(false));
  EXPECT_EQ(give(untagged, arp(kWhoHasUs, 77)), Taken::kOtherVlan);
  EXPECT_EQ(give(untagged, arp(kWhoHasUs, 0xe000)), Taken::kTaken);  // a priority only
}

TEST(NeighborProtocol, receive_a_solicitation_for_us__expect_an_advertisement) {
  NeighborProtocol core(config(true));
  EXPECT_EQ(give(core, neighbor(solicitation(kPeerV6))), Taken::kTaken);
  const Frame frame = next(core);
  EXPECT_EQ(wire::destination_mac(frame.data()), kPeerMac);
  const wire::NeighborMessage m = as_neighbor(frame);
  EXPECT_TRUE(m.is_advertisement);
  EXPECT_TRUE(m.solicited);
  EXPECT_TRUE(m.replaces);
  EXPECT_FALSE(m.router);
  EXPECT_EQ(m.source, kV6);
  EXPECT_EQ(m.destination, kPeerV6);
  EXPECT_EQ(m.target, kV6);
  EXPECT_EQ(m.link_address, kMac);
}

TEST(NeighborProtocol, receive_a_probe_for_our_address__expect_everybody_told) {
  NeighborProtocol core(config(true));
  (void)give(core, neighbor(solicitation({})));
  const Frame frame = next(core);
  EXPECT_EQ(wire::destination_mac(frame.data()), wire::multicast_mac(wire::kAllNodes));
  EXPECT_FALSE(as_neighbor(frame).solicited);
  EXPECT_FALSE(core.conflict());  // we have long had it
}

TEST(NeighborProtocol, resolve_a_peer__expect_the_question_and_the_answer_of_each_family) {
  for (const bool ipv6 : {false, true}) {
    NeighborProtocol core(config(ipv6));
    const wire::Gid peer = ipv6 ? kPeerV6 : kPeerV4;
    EXPECT_EQ(core.resolve(peer, 1).state, NeighborState::kIncomplete);
    const Frame question = next(core, 1);
    if (ipv6) {
      const wire::NeighborMessage m = as_neighbor(question);
      EXPECT_EQ(m.target, peer);
      EXPECT_EQ(m.destination, wire::solicited_node_of(peer));
      EXPECT_EQ(wire::destination_mac(question.data()),
                wire::multicast_mac(wire::solicited_node_of(peer)));
      wire::NeighborMessage answer;
      answer.is_advertisement = answer.solicited = answer.replaces = true;
      answer.source = answer.target = peer;
      answer.destination = kV6;
      answer.link_address = kPeerMac;
      (void)give(core, neighbor(answer), 2);
    } else {
      EXPECT_EQ(as_arp(question).target, 0x0a4d0002u);
      EXPECT_EQ(wire::destination_mac(question.data()), wire::kBroadcastMac);
      (void)give(core, arp({true, kPeerMac, 0x0a4d0002, kMac, 0x0a4d0001}), 2);
    }
    EXPECT_EQ(core.resolve(peer, 3).state, NeighborState::kReachable);
    EXPECT_EQ(core.resolve(peer, 3).mac, kPeerMac);
    EXPECT_EQ(core.counters()[NeighborEvent::kResolved], 1u);
  }
}

TEST(NeighborProtocol, somebody_answers_for_our_address__expect_the_conflict_and_a_defence) {
  NeighborProtocol core(config(false));
  (void)give(core, arp({true, kPeerMac, 0x0a4d0001, {}, 0x0a4d0005}), kSecond);
  ASSERT_TRUE(core.conflict());
  EXPECT_EQ(core.conflict()->mac, kPeerMac);
  const wire::ArpMessage announcement = as_arp(next(core, kSecond));
  EXPECT_EQ(announcement.sender, announcement.target);
  NeighborProtocol six(config(true));
  wire::NeighborMessage m;
  m.is_advertisement = true;
  m.source = m.target = kV6;
  m.destination = wire::kAllNodes;
  m.link_address = kPeerMac;
  (void)give(six, neighbor(m), kSecond);
  ASSERT_TRUE(six.conflict());
  EXPECT_TRUE(as_neighbor(next(six, kSecond)).is_advertisement);
}

TEST(NeighborProtocol, two_probe_for_one_address_at_once__expect_a_conflict) {
  NeighborProtocol core(config(false));
  core.start(0);
  (void)give(core, arp({false, kPeerMac, 0, {}, 0x0a4d0001}), 1);
  EXPECT_TRUE(core.conflict());
  NeighborProtocol six(config(true));
  six.start(0);
  (void)give(six, neighbor(solicitation({})), 1);
  EXPECT_TRUE(six.conflict());
}

TEST(NeighborProtocol, hear_our_own_frames__expect_nothing_of_it) {
  for (const bool ipv6 : {false, true}) {
    NeighborProtocol core(config(ipv6));
    core.start(0);
    (void)core.resolve(ipv6 ? kPeerV6 : kPeerV4, 0);
    for (int i = 0; i < 20; ++i) {
      const uint64_t now_ns = std::min(core.next_deadline_ns(), 1000 * kSecond);
      const Frame frame = next(core, now_ns);
      if (!frame.empty()) (void)give(core, frame, now_ns);
    }
    EXPECT_FALSE(core.conflict());
    EXPECT_EQ(core.counters()[NeighborEvent::kAdvertisementSent], 0u);
    EXPECT_GE(core.counters()[NeighborEvent::kProbeSent], 1u);
  }
}

TEST(NeighborProtocol, start_and_leave__expect_reports_from_the_right_addresses) {
  NeighborProtocol core(config(false));
  core.start(0);
  const Frame report = next(core, 0);
  ASSERT_EQ(report.size(), 14 + wire::igmp_report_bytes(1));
  EXPECT_EQ(wire::format(wire::destination_mac(report.data())), "01:00:5e:00:00:16");
  EXPECT_EQ(wire::load_ipv4(&report[14]).source, 0x0a4d0001u);
  core.leave(kSecond);
  EXPECT_FALSE(core.quiet());
  EXPECT_FALSE(next(core, kSecond).empty());
  EXPECT_FALSE(next(core, 2 * kSecond).empty());
  EXPECT_TRUE(core.quiet());
  EXPECT_EQ(core.next_deadline_ns(), kNever);

  NeighborProtocol six(config(true));
  six.start(0);
  const Frame mld = next(six, 0);
  // The group and the solicited-node groups of both our addresses.
  ASSERT_EQ(mld.size(), 14 + wire::mld_report_bytes(3));
  EXPECT_EQ(wire::load_ipv6(&mld[14]).source, wire::link_local_of(kMac));
  EXPECT_EQ(wire::format(wire::destination_mac(mld.data())), "33:33:00:00:00:16");
}

TEST(NeighborProtocol, renew__expect_reports_and_an_announcement_at_once_if_joined) {
  for (const bool ipv6 : {false, true}) {
    NeighborProtocol core(config(ipv6));
    core.renew(kSecond);
    EXPECT_EQ(core.next_deadline_ns(), kNever) << "it has not started";
    core.start(0);
    for (uint64_t s = 0; s < 20; ++s) {
      while (!next(core, s * kSecond).empty()) {
      }
    }
    EXPECT_EQ(core.next_deadline_ns(), kNever);
    core.renew(60 * kSecond);
    std::vector<std::string> to;
    for (Frame frame = next(core, 60 * kSecond); !frame.empty(); frame = next(core, 60 * kSecond))
      to.push_back(wire::format(wire::destination_mac(frame.data())));
    const std::vector<std::string> wanted = {ipv6 ? "33:33:00:00:00:01" : "ff:ff:ff:ff:ff:ff",
                                             ipv6 ? "33:33:00:00:00:16" : "01:00:5e:00:00:16"};
    EXPECT_TRUE(std::is_permutation(to.begin(), to.end(), wanted.begin(), wanted.end()));
    EXPECT_NE(core.next_deadline_ns(), kNever) << "and once more";
    core.leave(90 * kSecond);
    core.renew(91 * kSecond);
    (void)next(core, 91 * kSecond);
    (void)next(core, 92 * kSecond);
    EXPECT_TRUE(core.quiet()) << "it has left";
  }
}

TEST(NeighborProtocol, flood_of_requests__expect_a_thousand_answers_a_second) {
  NeighborProtocol core(config(false));
  const Frame frame = arp(kWhoHasUs);
  size_t answers = 0;
  for (uint64_t us = 0; us < 2'000'000; us += 10) {
    (void)give(core, frame, us * 1000);
    while (!next(core, us * 1000).empty()) ++answers;
  }
  EXPECT_GE(answers, 1990u);
  EXPECT_LE(answers, 2064u);
  EXPECT_EQ(core.counters()[NeighborEvent::kRateLimited], 200'000 - answers);
}

TEST(NeighborProtocol, answers_nobody_fetches__expect_a_bound) {
  NeighborProtocol core(config(false));
  for (int i = 0; i < 50; ++i) (void)give(core, arp(kWhoHasUs));
  size_t answers = 0;
  while (!next(core).empty()) ++answers;
  EXPECT_EQ(answers, 32u);
}

TEST(NeighborProtocol, receive_other_traffic__expect_it_left_alone) {
  NeighborProtocol core(config(false));
  EXPECT_EQ(give(core, with_link(kMac, 0x88cc, Frame(50))), Taken::kNotOurs);
  EXPECT_EQ(give(core, with_link(kMac, wire::kEtherTypeIpv4, Frame(50))), Taken::kNotOurs);
  EXPECT_EQ(give(core, Frame(13)), Taken::kNotOurs);
  EXPECT_EQ(give(core, neighbor(solicitation(kPeerV6))), Taken::kNotOurs);  // IPv6
  NeighborProtocol six(config(true));
  EXPECT_EQ(give(six, arp(kWhoHasUs)), Taken::kNotOurs);
}

TEST(NeighborProtocol, filter_addresses__expect_all_hosts_or_solicited_nodes) {
  const auto four = NeighborProtocol::filter_addresses(kV4, kMac);
  ASSERT_EQ(four.size(), 1u);
  EXPECT_EQ(wire::format(four[0]), "01:00:5e:00:00:01");
  const auto six = NeighborProtocol::filter_addresses(kV6, kMac);
  ASSERT_EQ(six.size(), 3u);
  EXPECT_EQ(wire::format(six[0]), "33:33:00:00:00:01");
  EXPECT_EQ(wire::format(six[1]), "33:33:ff:00:00:01");
}

}  // namespace neighbor_protocol_test
}  // namespace lambdacast::neighbor
