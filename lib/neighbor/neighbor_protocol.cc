// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/neighbor_protocol.h"

#include <algorithm>

#include "neighbor/membership_frame.h"

namespace lambdacast::neighbor {

using counters::NeighborEvent;
using wire::Gid;
using wire::LinkHeader;
using wire::MacAddress;
using wire::NeighborMessage;
using wire::Parsed;

namespace {

constexpr uint64_t kCreditOfOne = 1'000'000'000;
constexpr uint64_t kMaxBurst = 64;  // answers after a pause

std::vector<Gid> groups_of(const NeighborConfig& config, const Gid& link_local) {
  std::vector<Gid> groups = config.groups;
  if (!wire::is_ipv4_mapped(config.gid)) {
    groups.push_back(wire::solicited_node_of(config.gid));
    groups.push_back(wire::solicited_node_of(link_local));
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  // Everybody is in these (RFC 3376, 5; RFC 3810, 6).
  std::erase(groups, wire::gid_from_ipv4(wire::kAllHosts));
  std::erase(groups, wire::kAllNodes);
  return groups;
}

DefenceConfig defence_of(const Gid& gid) {
  return wire::is_ipv4_mapped(gid) ? DefenceConfig::ipv4() : DefenceConfig::ipv6();
}

Gid link_local_of(const NeighborConfig& config) {
  return wire::is_link_local(config.gid) ? config.gid : wire::link_local_of(config.mac);
}

}  // namespace

NeighborProtocol::NeighborProtocol(const NeighborConfig& config)
    : config_(config),
      is_ipv4_(wire::is_ipv4_mapped(config.gid)),
      ipv4_(wire::ipv4_of(config.gid)),
      link_local_(link_local_of(config)),
      table_(config.table),
      defence_(defence_of(config.gid), config.seed),
      membership_(groups_of(config, link_local_), config.membership, config.seed + 1),
      credit_(kMaxBurst * kCreditOfOne) {
  for (const auto& [gid, mac] : config_.permanent) {
    if (!table_.add_permanent(gid, mac)) counters_.add(NeighborEvent::kTableFull);
  }
}

std::vector<MacAddress> NeighborProtocol::filter_addresses(const Gid& gid, const MacAddress& mac) {
  if (wire::is_ipv4_mapped(gid)) return {wire::multicast_mac(wire::gid_from_ipv4(wire::kAllHosts))};
  std::vector<MacAddress> addresses = {wire::multicast_mac(wire::kAllNodes)};
  for (const Gid& own : {gid, wire::link_local_of(mac)}) {
    addresses.push_back(wire::multicast_mac(wire::solicited_node_of(own)));
  }
  return addresses;
}

void NeighborProtocol::start(uint64_t now_ns) {
  defence_.start(now_ns);
  membership_.join(now_ns);
}

void NeighborProtocol::renew(uint64_t now_ns) {
  if (!membership_.joined()) return;
  defence_.announce(now_ns);
  membership_.join(now_ns);
}

void NeighborProtocol::leave(uint64_t now_ns) {
  defence_.stop();
  membership_.leave(now_ns);
}

uint64_t NeighborProtocol::next_deadline_ns() const {
  if (answers_count_ != 0) return 0;
  return std::min(
      {table_.next_deadline_ns(), defence_.next_deadline_ns(), membership_.next_deadline_ns()});
}

// ---- what came in ----

NeighborProtocol::Taken NeighborProtocol::receive(const uint8_t* frame, size_t bytes,
                                                  uint64_t now_ns) {
  LinkHeader link;
  if (!wire::load_link(frame, bytes, link)) return Taken::kNotOurs;
  if (link.vlan_id() != (config_.vlan_tci.value_or(0) & wire::kVlanIdMask)) {
    return Taken::kOtherVlan;
  }
  const uint8_t* l3 = frame + link.bytes();
  const size_t l3_bytes = bytes - link.bytes();
  return is_ipv4_ ? receive_ipv4(link, l3, l3_bytes, now_ns)
                  : receive_ipv6(link, l3, l3_bytes, now_ns);
}

NeighborProtocol::Taken NeighborProtocol::receive_ipv4(const LinkHeader& link, const uint8_t* l3,
                                                       size_t bytes, uint64_t now_ns) {
  if (link.ether_type == wire::kEtherTypeIpv4) {
    wire::MembershipQuery query;
    const Parsed parsed = wire::parse_igmp_query(l3, bytes, query);
    const bool other_igmp = parsed == Parsed::kOther && l3[9] == wire::kIpProtocolIgmp;
    return other_igmp ? Taken::kTaken : take_query(parsed, query, now_ns);
  }
  if (link.ether_type != wire::kEtherTypeArp) return Taken::kNotOurs;
  wire::ArpMessage message;
  const Parsed parsed = wire::parse_arp(l3, bytes, message);
  if (parsed == Parsed::kMessage) {
    on_arp(message, now_ns);
  } else if (parsed == Parsed::kMalformed) {
    counters_.add(NeighborEvent::kMalformed);
  }
  return Taken::kTaken;
}

NeighborProtocol::Taken NeighborProtocol::receive_ipv6(const LinkHeader& link, const uint8_t* l3,
                                                       size_t bytes, uint64_t now_ns) {
  if (link.ether_type != wire::kEtherTypeIpv6) return Taken::kNotOurs;
  wire::Icmpv6View view;
  if (const Parsed parsed = wire::parse_icmpv6(l3, bytes, view); parsed != Parsed::kMessage) {
    return take_query(parsed, {}, now_ns);
  }
  NeighborMessage message;
  const Parsed parsed = wire::parse_neighbor(l3, bytes, message);
  if (parsed == Parsed::kMessage) {
    if (message.is_advertisement) {
      on_advertisement(link, message, now_ns);
    } else {
      on_solicitation(link, message, now_ns);
    }
    return Taken::kTaken;
  }
  wire::MembershipQuery query;
  const Parsed as_query =
      parsed == Parsed::kOther ? wire::parse_mld_query(l3, bytes, query) : parsed;
  return as_query == Parsed::kOther ? Taken::kTaken : take_query(as_query, query, now_ns);
}

NeighborProtocol::Taken NeighborProtocol::take_query(Parsed parsed,
                                                     const wire::MembershipQuery& query,
                                                     uint64_t now_ns) {
  if (parsed == Parsed::kOther) return Taken::kNotOurs;
  if (parsed == Parsed::kMalformed) {
    counters_.add(NeighborEvent::kMalformed);
    return Taken::kNotOurs;  // perhaps no message of these at all
  }
  counters_.add(NeighborEvent::kQueryReceived);
  membership_.query(query, now_ns);
  return Taken::kTaken;
}

void NeighborProtocol::note_conflict(const MacAddress& mac, uint64_t now_ns) {
  counters_.add(NeighborEvent::kConflict);
  defence_.conflict(mac, now_ns);
}

void NeighborProtocol::hear(const Heard& heard, uint64_t now_ns) {
  switch (table_.hear(heard, now_ns)) {
    case NeighborTable::Learnt::kNothing:
      return;
    case NeighborTable::Learnt::kResolved:
      counters_.add(NeighborEvent::kResolved);
      return;
    case NeighborTable::Learnt::kFull:
      counters_.add(NeighborEvent::kTableFull);
      return;
  }
}

// RFC 826, "Packet reception", and RFC 5227, 2.1.1 and 2.4.
void NeighborProtocol::on_arp(const wire::ArpMessage& m, uint64_t now_ns) {
  counters_.add(m.is_reply ? NeighborEvent::kAdvertisementReceived
                           : NeighborEvent::kSolicitationReceived);
  if (m.sender_mac == config_.mac) return;  // our own, come back over the fabric
  const bool for_us = m.target == ipv4_;
  if (m.sender == ipv4_) return note_conflict(m.sender_mac, now_ns);
  if (m.sender == 0) {  // somebody asks whether the target is free
    if (for_us && defence_.probing()) note_conflict(m.sender_mac, now_ns);
  } else {
    const Gid sender = wire::gid_from_ipv4(m.sender);
    const bool answer = m.is_reply && for_us && m.target_mac == config_.mac;
    hear({sender, m.sender_mac, answer, true, for_us}, now_ns);
  }
  if (for_us && !m.is_reply) {
    owe({m.sender_mac, wire::gid_from_ipv4(m.sender), config_.gid, true}, now_ns);
  }
}

// RFC 4861, 7.2.3 and 7.2.4.
void NeighborProtocol::on_solicitation(const LinkHeader& link, const NeighborMessage& m,
                                       uint64_t now_ns) {
  counters_.add(NeighborEvent::kSolicitationReceived);
  if (link.source == config_.mac) return;
  if (m.target != config_.gid && m.target != link_local_) return;
  if (wire::is_unspecified(m.source)) {
    if (m.target == config_.gid && defence_.probing()) note_conflict(link.source, now_ns);
    owe({wire::multicast_mac(wire::kAllNodes), wire::kAllNodes, m.target, false}, now_ns);
    return;
  }
  if (m.link_address) hear({m.source, *m.link_address, false, true, true}, now_ns);
  owe({m.link_address.value_or(link.source), m.source, m.target, true}, now_ns);
}

// RFC 4861, 7.2.5, and RFC 4862, 5.4.4.
void NeighborProtocol::on_advertisement(const LinkHeader& link, const NeighborMessage& m,
                                        uint64_t now_ns) {
  counters_.add(NeighborEvent::kAdvertisementReceived);
  if (link.source == config_.mac) return;
  if (m.target == config_.gid) return note_conflict(m.link_address.value_or(link.source), now_ns);
  const Lookup known = table_.find(m.target);
  const std::optional<MacAddress> mac = m.link_address ? m.link_address : known.mac;
  if (!mac) return;  // nothing to learn
  hear({m.target, *mac, m.solicited, m.replaces, false}, now_ns);
}

bool NeighborProtocol::may_answer(uint64_t now_ns) {
  const uint64_t elapsed_ns = std::min<uint64_t>(now_ns - credited_ns_, kCreditOfOne);
  credited_ns_ = now_ns;
  credit_ = std::min(credit_ + elapsed_ns * config_.answers_per_second, kMaxBurst * kCreditOfOne);
  if (credit_ < kCreditOfOne || answers_count_ == kMaxAnswers) return false;
  credit_ -= kCreditOfOne;
  return true;
}

void NeighborProtocol::owe(const Answer& answer, uint64_t now_ns) {
  if (!may_answer(now_ns)) {
    counters_.add(NeighborEvent::kRateLimited);
    return;
  }
  answers_[(answers_first_ + answers_count_) % kMaxAnswers] = answer;
  ++answers_count_;
}

// ---- what goes out ----

size_t NeighborProtocol::transmit(uint64_t now_ns, uint8_t* frame) {
  if (answers_count_ != 0) return send_answer(frame);
  const AddressDefence::Claim claim = defence_.poll(now_ns);
  if (claim != AddressDefence::Claim::kNone) return send_claim(claim, frame);
  GroupMembership::Message message;
  if (membership_.poll(now_ns, message)) return send_membership(message, frame);
  uint64_t given_up = 0;
  const auto question = table_.poll(now_ns, given_up);
  counters_.add(NeighborEvent::kUnresolved, given_up);
  return question ? send_question(*question, frame) : 0;
}

uint8_t* NeighborProtocol::put_link(const MacAddress& destination, uint16_t ether_type,
                                    uint8_t* frame) {
  LinkHeader link;
  link.destination = destination;
  link.source = config_.mac;
  link.has_vlan = config_.vlan_tci.has_value();
  link.vlan_tci = config_.vlan_tci.value_or(0);
  link.ether_type = ether_type;
  wire::store_link(link, frame);
  return frame + link.bytes();
}

size_t NeighborProtocol::put_arp(const MacAddress& destination, const wire::ArpMessage& message,
                                 uint8_t* frame) {
  wire::store_arp(message, put_link(destination, wire::kEtherTypeArp, frame));
  return link_bytes() + wire::kArpBytes;
}

size_t NeighborProtocol::put_neighbor(const MacAddress& destination, const NeighborMessage& message,
                                      uint8_t* frame) {
  uint8_t* l3 = put_link(destination, wire::kEtherTypeIpv6, frame);
  return link_bytes() + wire::store_neighbor(message, l3);
}

size_t NeighborProtocol::send_answer(uint8_t* frame) {
  const Answer answer = answers_[answers_first_];
  answers_first_ = (answers_first_ + 1) % kMaxAnswers;
  --answers_count_;
  counters_.add(NeighborEvent::kAdvertisementSent);
  if (is_ipv4_) {
    return put_arp(answer.mac, {true, config_.mac, ipv4_, answer.mac, wire::ipv4_of(answer.to)},
                   frame);
  }
  return put_neighbor(
      answer.mac,
      {true, false, answer.solicited, true, answer.target, answer.to, answer.target, config_.mac},
      frame);
}

size_t NeighborProtocol::send_claim(AddressDefence::Claim claim, uint8_t* frame) {
  const bool probe = claim == AddressDefence::Claim::kProbe;
  counters_.add(probe ? NeighborEvent::kProbeSent : NeighborEvent::kAnnouncementSent);
  if (is_ipv4_) {
    return put_arp(wire::kBroadcastMac, {false, config_.mac, probe ? 0 : ipv4_, {}, ipv4_}, frame);
  }
  NeighborMessage message;
  message.target = config_.gid;
  message.is_advertisement = message.replaces = !probe;
  message.source = probe ? Gid{} : config_.gid;
  message.destination = probe ? wire::solicited_node_of(config_.gid) : wire::kAllNodes;
  if (!probe) message.link_address = config_.mac;
  return put_neighbor(wire::multicast_mac(message.destination), message, frame);
}

size_t NeighborProtocol::send_membership(const GroupMembership::Message& message, uint8_t* frame) {
  counters_.add(message.leaves ? NeighborEvent::kLeaveSent : NeighborEvent::kReportSent);
  return store_membership_frame({config_.mac, config_.vlan_tci, config_.gid, link_local_}, message,
                                frame);
}

size_t NeighborProtocol::send_question(const Question& question, uint8_t* frame) {
  counters_.add(NeighborEvent::kSolicitationSent);
  if (is_ipv4_) {
    return put_arp(question.mac.value_or(wire::kBroadcastMac),
                   {false, config_.mac, ipv4_, {}, wire::ipv4_of(question.target)}, frame);
  }
  NeighborMessage message;
  message.source = config_.gid;
  message.target = question.target;
  message.destination = question.mac ? question.target : wire::solicited_node_of(question.target);
  message.link_address = config_.mac;
  const MacAddress destination =
      question.mac ? *question.mac : wire::multicast_mac(message.destination);
  return put_neighbor(destination, message, frame);
}

}  // namespace lambdacast::neighbor
