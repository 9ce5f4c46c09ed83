// SPDX-License-Identifier: BSD-3-Clause
#include "neighbors.h"

#include <algorithm>

#include "wire/net/igmp.h"

namespace lambdacast::verbs {
namespace {

neighbor::NeighborConfig config_of(const Neighbors::Self& self, const wire::Gid& gid) {
  neighbor::NeighborConfig config;
  config.mac = self.mac;
  config.gid = gid;
  config.vlan_tci = self.vlan_tci;
  for (const auto& entry : self.permanent) {
    if (wire::is_ipv4_mapped(entry.first) == wire::is_ipv4_mapped(gid)) {
      config.permanent.push_back(entry);
    }
  }
  config.table.max_neighbors = self.max_neighbors + config.permanent.size();
  config.seed = base::mix64(self.seed ^ wire::hash(gid));
  return config;
}

}  // namespace

Neighbors::Neighbors(const Self& self)
    : self_(self),
      speaker_{self.mac, self.vlan_tci, self.gid, wire::link_local_of(self.mac)},
      core_(config_of(self, self.gid)),
      link_local_core_(config_of(self, speaker_.link_local)) {}

void Neighbors::start(uint64_t now_ns) {
  core_.start(now_ns);
  link_local_core_.start(now_ns);
}

void Neighbors::listen(std::span<const wire::Gid> groups, uint64_t now_ns) {
  for (auto at = groups_.begin(); at != groups_.end();) {
    if (std::ranges::find(groups, at->first) != groups.end()) {
      ++at;
      continue;
    }
    at->second.leave(now_ns);
    leaving_.push_back(std::move(at->second));
    at = groups_.erase(at);
  }
  for (const wire::Gid& gid : groups) {
    // IGMP speaks from an IPv4 address; all are in all-hosts and all-nodes.
    const bool ipv4 = wire::is_ipv4_mapped(gid);
    if (ipv4 && !wire::is_ipv4_mapped(self_.gid)) continue;
    if (gid == wire::gid_from_ipv4(wire::kAllHosts) || gid == wire::kAllNodes) continue;
    const auto [at, is_new] = groups_.try_emplace(
        gid, std::span(&gid, 1), neighbor::MembershipConfig{}, base::mix64(self_.seed + ++joins_));
    if (is_new) at->second.join(now_ns);
  }
}

void Neighbors::leave(uint64_t now_ns) {
  listen({}, now_ns);
  core_.leave(now_ns);
  link_local_core_.leave(now_ns);
}

bool Neighbors::quiet() const {
  return core_.quiet() && link_local_core_.quiet() && leaving_.empty();
}

void Neighbors::hear_query(const uint8_t* frame, size_t bytes, uint64_t now_ns) {
  wire::LinkHeader link;
  if (!wire::load_link(frame, bytes, link)) return;
  if (link.vlan_id() != (self_.vlan_tci.value_or(0) & wire::kVlanIdMask)) return;
  const uint8_t* l3 = frame + link.bytes();
  const size_t l3_bytes = bytes - link.bytes();
  const bool ipv4 = link.ether_type == wire::kEtherTypeIpv4;
  if (!ipv4 && link.ether_type != wire::kEtherTypeIpv6) return;
  wire::MembershipQuery query;
  const wire::Parsed parsed = ipv4 ? wire::parse_igmp_query(l3, l3_bytes, query)
                                   : wire::parse_mld_query(l3, l3_bytes, query);
  if (parsed != wire::Parsed::kMessage) return;
  for (auto& [gid, group] : groups_) {
    if (wire::is_ipv4_mapped(gid) == ipv4) group.query(query, now_ns);
  }
}

void Neighbors::receive(const uint8_t* frame, size_t bytes, uint64_t now_ns) {
  hear_query(frame, bytes, now_ns);
  (void)core_.receive(frame, bytes, now_ns);
  (void)link_local_core_.receive(frame, bytes, now_ns);
}

std::optional<wire::MacAddress> Neighbors::resolve(const wire::Gid& gid, uint64_t now_ns) {
  if (wire::is_multicast(gid)) return wire::multicast_mac(gid);
  // A link-local address is asked for from ours; else who has no address of the family is asked by
  // the one of it that there is.
  const bool ipv4 = wire::is_ipv4_mapped(self_.gid);
  const bool by_link_local = wire::is_link_local(gid) || (ipv4 && !wire::is_ipv4_mapped(gid));
  auto& core = by_link_local ? link_local_core_ : core_;
  return core.resolve(gid, now_ns).mac;
}

size_t Neighbors::report(neighbor::GroupMembership& group, uint64_t now_ns, uint8_t* frame) {
  neighbor::GroupMembership::Message message;
  return group.poll(now_ns, message) ? neighbor::store_membership_frame(speaker_, message, frame)
                                     : 0;
}

size_t Neighbors::transmit(uint64_t now_ns, uint8_t* frame) {
  if (const size_t bytes = core_.transmit(now_ns, frame); bytes != 0) return bytes;
  if (const size_t bytes = link_local_core_.transmit(now_ns, frame); bytes != 0) return bytes;
  for (auto& [gid, group] : groups_) {
    if (const size_t bytes = report(group, now_ns, frame); bytes != 0) return bytes;
  }
  for (auto& group : leaving_) {
    if (const size_t bytes = report(group, now_ns, frame); bytes != 0) return bytes;
  }
  std::erase_if(leaving_, [](const auto& group) { return group.silent(); });
  return 0;
}

std::vector<wire::MacAddress> Neighbors::group_macs() const {
  std::vector<wire::MacAddress> macs =
      neighbor::NeighborProtocol::filter_addresses(self_.gid, self_.mac);
  const auto more = neighbor::NeighborProtocol::filter_addresses(speaker_.link_local, self_.mac);
  macs.insert(macs.end(), more.begin(), more.end());
  for (const auto& [gid, group] : groups_) macs.push_back(wire::multicast_mac(gid));
  std::sort(macs.begin(), macs.end());
  macs.erase(std::unique(macs.begin(), macs.end()), macs.end());
  return macs;
}

}  // namespace lambdacast::verbs
