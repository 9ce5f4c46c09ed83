// SPDX-License-Identifier: BSD-3-Clause
// The host side of IGMP and MLD: tells routers and snooping switches that this endpoint wants its
// groups, unasked at the start and the end, and when asked (RFC 3376, 5; RFC 3810, 6). Groups are
// joined for any source, and all together.
//
// Deviations, all harmless to a router: a query about sources is answered with the state of the
// group; with an older querier reports of others do not suppress ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "neighbor/neighbor_table.h"
#include "wire/net/membership.h"

namespace lambdacast::neighbor {

struct MembershipConfig {
  uint8_t robustness = 2;                            // until a querier tells another
  uint64_t unsolicited_interval_ns = 1'000'000'000;  // a join is repeated at random within it
  uint64_t leave_interval_ns = 20'000'000;           // a leave is repeated at random within it
  uint64_t query_interval_ns = 125'000'000'000;      // until a querier tells another
};

class GroupMembership {
 public:
  static constexpr size_t kMaxGroups = 8;

  // A message to send: a version 3 report of `records`, or, to an older querier, one message about
  // records[0].group.
  struct Message {
    bool old = false;
    wire::OldMembershipMessage kind = wire::OldMembershipMessage::kReportV2;
    bool leaves = false;
    size_t count = 0;
    std::array<wire::MembershipRecord, kMaxGroups> records;
  };

  // More than kMaxGroups are cut off. All-hosts and all-nodes are nobody's to report: leave out.
  GroupMembership(std::span<const wire::Gid> groups, const MembershipConfig& config, uint64_t seed);

  void join(uint64_t now_ns);
  [[nodiscard]] bool joined() const { return joined_; }
  void leave(uint64_t now_ns);
  // A leave has been said as often as it has to be, or there was none.
  [[nodiscard]] bool silent() const { return changes_left_ == 0 || groups_.empty(); }
  void query(const wire::MembershipQuery& query, uint64_t now_ns);

  [[nodiscard]] bool poll(uint64_t now_ns, Message& out);
  [[nodiscard]] uint64_t next_deadline_ns() const;

 private:
  struct Group {
    wire::Gid gid;
    uint64_t answer_due_ns = kNever;
  };
  [[nodiscard]] wire::MembershipVersion version(uint64_t now_ns) const;
  void note_version(const wire::MembershipQuery& query, uint64_t now_ns);
  [[nodiscard]] bool poll_change(uint64_t now_ns, Message& out);
  [[nodiscard]] bool poll_answer(uint64_t now_ns, Message& out);
  void say_all(wire::RecordType type, Message& out) const;
  [[nodiscard]] uint64_t within(uint64_t most_ns) { return 1 + random_.below(most_ns); }

  MembershipConfig config_;
  base::SplitMix64 random_;
  std::vector<Group> groups_;
  bool joined_ = false;
  // How often the last join or leave is still to be reported, and when. With an older querier each
  // group is reported by itself.
  uint32_t changes_left_ = 0;
  uint64_t change_due_ns_ = kNever;
  size_t change_cursor_ = 0;
  uint64_t general_due_ns_ = kNever;
  // Older queriers, until they have not been heard for long enough (RFC 3376, 7.2.1).
  uint64_t v1_until_ns_ = 0;
  uint64_t v2_until_ns_ = 0;
};

}  // namespace lambdacast::neighbor
