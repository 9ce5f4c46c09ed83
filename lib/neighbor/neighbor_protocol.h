// SPDX-License-Identifier: BSD-3-Clause
// The neighbor protocols of an endpoint on a real network. No kernel stack answers for its address,
// so it answers ARP or neighbor solicitations itself, finds its peers, defends its address and
// joins its groups. Frames come in and go out, time is an argument, and all memory is allocated at
// the start.
//
// Not thread-safe: the lcore of the receive stage owns it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "counters/neighbor_event.h"
#include "neighbor/address_defence.h"
#include "neighbor/group_membership.h"
#include "neighbor/neighbor_table.h"
#include "wire/net/arp.h"
#include "wire/net/igmp.h"
#include "wire/net/mld.h"
#include "wire/net/ndp.h"
#include "wire/roce/link_header.h"

namespace lambdacast::neighbor {

struct NeighborConfig {
  wire::MacAddress mac;
  wire::Gid gid;                     // v4-mapped: ARP and IGMP; else neighbor discovery and MLD
  std::optional<uint16_t> vlan_tci;  // tag of everything sent, and wanted of what comes in
  std::vector<wire::Gid> groups;     // multicast, of the family of gid
  std::vector<std::pair<wire::Gid, wire::MacAddress>> permanent;
  TableConfig table;
  MembershipConfig membership;
  uint64_t seed = 1;  // of the random delays that keep hosts from speaking at once
  uint32_t answers_per_second = 1000;
};

// The largest frame sent: an MLD report of all groups, with a VLAN tag.
inline constexpr size_t kMaxNeighborFrameBytes =
    18 + wire::mld_report_bytes(GroupMembership::kMaxGroups);

class NeighborProtocol {
 public:
  enum class Taken : uint8_t {
    kTaken,      // ARP and IGMP, or ICMPv6, of our family in our VLAN; for us or not
    kOtherVlan,  // not looked at
    kNotOurs,    // other traffic
  };

  explicit NeighborProtocol(const NeighborConfig& config);

  // Group addresses of the MAC filter, besides those of the data: solicited-node, all hosts.
  [[nodiscard]] static std::vector<wire::MacAddress> filter_addresses(const wire::Gid& gid,
                                                                      const wire::MacAddress& mac);

  void start(uint64_t now_ns);  // probes, announces, joins
  // The link was down: whoever is on it may be another. Announces and joins again, at once, between
  // start() and leave().
  void renew(uint64_t now_ns);
  void leave(uint64_t now_ns);  // the groups; then poll until quiet()
  [[nodiscard]] bool quiet() const { return membership_.silent() && answers_count_ == 0; }

  // A frame that was no RoCE frame: `bytes` from its Ethernet header on.
  Taken receive(const uint8_t* frame, size_t bytes, uint64_t now_ns);
  // Writes the next frame that is due, at most kMaxNeighborFrameBytes; 0: none is.
  [[nodiscard]] size_t transmit(uint64_t now_ns, uint8_t* frame);
  [[nodiscard]] uint64_t next_deadline_ns() const;

  Lookup resolve(const wire::Gid& gid, uint64_t now_ns) { return table_.resolve(gid, now_ns); }
  [[nodiscard]] const NeighborTable& table() const { return table_; }
  [[nodiscard]] const std::optional<AddressConflict>& conflict() const { return defence_.seen(); }
  [[nodiscard]] const counters::NeighborCounters& counters() const { return counters_; }
  [[nodiscard]] counters::NeighborCounters& counters() { return counters_; }

 private:
  // An ARP reply or advertisement owed.
  struct Answer {
    wire::MacAddress mac;
    wire::Gid to;
    wire::Gid target;
    bool solicited = true;
  };
  static constexpr size_t kMaxAnswers = 32;

  [[nodiscard]] Taken receive_ipv4(const wire::LinkHeader& link, const uint8_t* l3, size_t bytes,
                                   uint64_t now_ns);
  [[nodiscard]] Taken receive_ipv6(const wire::LinkHeader& link, const uint8_t* l3, size_t bytes,
                                   uint64_t now_ns);
  [[nodiscard]] Taken take_query(wire::Parsed parsed, const wire::MembershipQuery& query,
                                 uint64_t now_ns);
  void on_arp(const wire::ArpMessage& message, uint64_t now_ns);
  void on_solicitation(const wire::LinkHeader& link, const wire::NeighborMessage& message,
                       uint64_t now_ns);
  void on_advertisement(const wire::LinkHeader& link, const wire::NeighborMessage& message,
                        uint64_t now_ns);
  void hear(const Heard& heard, uint64_t now_ns);
  void note_conflict(const wire::MacAddress& mac, uint64_t now_ns);
  void owe(const Answer& answer, uint64_t now_ns);
  [[nodiscard]] bool may_answer(uint64_t now_ns);

  size_t send_answer(uint8_t* frame);
  size_t send_claim(AddressDefence::Claim claim, uint8_t* frame);
  size_t send_membership(const GroupMembership::Message& message, uint8_t* frame);
  size_t send_question(const Question& question, uint8_t* frame);
  size_t put_arp(const wire::MacAddress& destination, const wire::ArpMessage& message,
                 uint8_t* frame);
  size_t put_neighbor(const wire::MacAddress& destination, const wire::NeighborMessage& message,
                      uint8_t* frame);
  uint8_t* put_link(const wire::MacAddress& destination, uint16_t ether_type, uint8_t* frame);
  [[nodiscard]] size_t link_bytes() const { return config_.vlan_tci ? 18 : 14; }

  NeighborConfig config_;
  bool is_ipv4_;
  uint32_t ipv4_;         // of gid, if is_ipv4_
  wire::Gid link_local_;  // ours, else: MLD wants it as source
  NeighborTable table_;
  AddressDefence defence_;
  GroupMembership membership_;
  counters::NeighborCounters counters_;
  std::array<Answer, kMaxAnswers> answers_;  // a ring
  size_t answers_first_ = 0;
  size_t answers_count_ = 0;
  // Answers that may go now, in 1/1e9: fills with answers_per_second.
  uint64_t credit_ = 0;
  uint64_t credited_ns_ = 0;
};

}  // namespace lambdacast::neighbor
