// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/membership_frame.h"

#include "wire/net/igmp.h"

namespace lambdacast::neighbor {
namespace {

size_t store_packet(const MembershipSpeaker& speaker, const GroupMembership::Message& message,
                    bool ipv4, uint8_t* l3) {
  const std::span<const wire::MembershipRecord> records(message.records.data(), message.count);
  if (ipv4) {
    return message.old ? wire::store_old_igmp(message.kind, speaker.ipv4, records[0].group, l3)
                       : wire::store_igmp_report(speaker.ipv4, records, l3);
  }
  return message.old ? wire::store_old_mld(message.kind, speaker.link_local, records[0].group, l3)
                     : wire::store_mld_report(speaker.link_local, records, l3);
}

}  // namespace

size_t store_membership_frame(const MembershipSpeaker& speaker,
                              const GroupMembership::Message& message, uint8_t* frame) {
  const bool ipv4 = wire::is_ipv4_mapped(message.records[0].group);
  wire::LinkHeader link;
  link.source = speaker.mac;
  link.has_vlan = speaker.vlan_tci.has_value();
  link.vlan_tci = speaker.vlan_tci.value_or(0);
  link.ether_type = ipv4 ? wire::kEtherTypeIpv4 : wire::kEtherTypeIpv6;
  uint8_t* const l3 = frame + link.bytes();
  const size_t bytes = store_packet(speaker, message, ipv4, l3);
  link.destination =
      ipv4 ? wire::igmp_destination(l3) : wire::multicast_mac(wire::load_ipv6(l3).destination);
  wire::store_link(link, frame);
  return link.bytes() + bytes;
}

}  // namespace lambdacast::neighbor
