// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/group_membership.h"

#include <algorithm>

namespace lambdacast::neighbor {

using wire::MembershipVersion;
using wire::OldMembershipMessage;
using wire::RecordType;

namespace {
constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kSecond = 1'000'000'000;
}  // namespace

GroupMembership::GroupMembership(std::span<const wire::Gid> groups, const MembershipConfig& config,
                                 uint64_t seed)
    : config_(config), random_(seed) {
  for (const wire::Gid& gid : groups.first(std::min(groups.size(), kMaxGroups))) {
    groups_.push_back({gid});
  }
}

void GroupMembership::join(uint64_t now_ns) {
  joined_ = true;
  changes_left_ = config_.robustness;
  change_due_ns_ = now_ns;
  change_cursor_ = 0;
}

void GroupMembership::leave(uint64_t now_ns) {
  if (!joined_) return;
  joined_ = false;
  general_due_ns_ = kNever;
  for (Group& group : groups_) group.answer_due_ns = kNever;
  // Version 1 knows no leaving.
  const bool says_so = version(now_ns) != MembershipVersion::kV1;
  changes_left_ = says_so ? config_.robustness : 0;
  change_due_ns_ = says_so ? now_ns : kNever;
  change_cursor_ = 0;
}

MembershipVersion GroupMembership::version(uint64_t now_ns) const {
  if (now_ns < v1_until_ns_) return MembershipVersion::kV1;
  return now_ns < v2_until_ns_ ? MembershipVersion::kV2 : MembershipVersion::kV3;
}

void GroupMembership::note_version(const wire::MembershipQuery& query, uint64_t now_ns) {
  const MembershipVersion before = version(now_ns);
  if (query.version == MembershipVersion::kV3) {
    if (query.robustness != 0) config_.robustness = query.robustness;
    if (query.interval_s != 0) config_.query_interval_ns = query.interval_s * kSecond;
  } else {
    const uint64_t until_ns = now_ns + config_.robustness * config_.query_interval_ns +
                              query.max_response_ms * kMillisecond;
    (query.version == MembershipVersion::kV1 ? v1_until_ns_ : v2_until_ns_) = until_ns;
  }
  if (version(now_ns) == before) return;
  // What was to be said in the other version is not said (RFC 3376, 7.2.1).
  general_due_ns_ = kNever;
  for (Group& group : groups_) group.answer_due_ns = kNever;
  changes_left_ = 0;
  change_due_ns_ = kNever;
}

void GroupMembership::query(const wire::MembershipQuery& query, uint64_t now_ns) {
  if (!joined_) return;
  note_version(query, now_ns);
  const uint64_t most_ns = std::max<uint64_t>(query.max_response_ms * kMillisecond, 1);
  if (query.general() && version(now_ns) == MembershipVersion::kV3) {
    general_due_ns_ = std::min(general_due_ns_, now_ns + within(most_ns));
    return;
  }
  for (Group& group : groups_) {
    if (!query.general() && group.gid != query.group) continue;
    const uint64_t due_ns = now_ns + within(most_ns);
    // A general answer that comes sooner answers this as well.
    if (general_due_ns_ > due_ns) group.answer_due_ns = std::min(group.answer_due_ns, due_ns);
  }
}

void GroupMembership::say_all(RecordType type, Message& out) const {
  out.count = groups_.size();
  for (size_t i = 0; i < groups_.size(); ++i) out.records[i] = {type, groups_[i].gid};
}

bool GroupMembership::poll_change(uint64_t now_ns, Message& out) {
  if (now_ns < change_due_ns_) return false;
  out.leaves = !joined_;
  const MembershipVersion spoken = version(now_ns);
  if (spoken == MembershipVersion::kV3) {
    say_all(joined_ ? RecordType::kToExclude : RecordType::kToInclude, out);
    change_cursor_ = groups_.size();
  } else {
    out.old = true;
    out.kind = !joined_                           ? OldMembershipMessage::kLeave
               : spoken == MembershipVersion::kV1 ? OldMembershipMessage::kReportV1
                                                  : OldMembershipMessage::kReportV2;
    out.count = 1;
    out.records[0].group = groups_[change_cursor_++].gid;
  }
  if (change_cursor_ < groups_.size()) return true;  // the next group at once
  change_cursor_ = 0;
  --changes_left_;
  const uint64_t interval_ns =
      joined_ ? config_.unsolicited_interval_ns : config_.leave_interval_ns;
  change_due_ns_ = changes_left_ == 0 ? kNever : now_ns + within(interval_ns);
  return true;
}

bool GroupMembership::poll_answer(uint64_t now_ns, Message& out) {
  if (now_ns >= general_due_ns_) {
    general_due_ns_ = kNever;
    say_all(RecordType::kIsExclude, out);
    return true;
  }
  const MembershipVersion spoken = version(now_ns);
  for (Group& group : groups_) {
    if (now_ns < group.answer_due_ns) continue;
    group.answer_due_ns = kNever;
    out.records[out.count++] = {RecordType::kIsExclude, group.gid};
    if (spoken == MembershipVersion::kV3) continue;
    out.old = true;
    out.kind = spoken == MembershipVersion::kV1 ? OldMembershipMessage::kReportV1
                                                : OldMembershipMessage::kReportV2;
    return true;
  }
  return out.count != 0;
}

bool GroupMembership::poll(uint64_t now_ns, Message& out) {
  out = Message{};
  if (groups_.empty()) return false;
  return poll_change(now_ns, out) || poll_answer(now_ns, out);
}

uint64_t GroupMembership::next_deadline_ns() const {
  uint64_t deadline_ns = std::min(change_due_ns_, general_due_ns_);
  for (const Group& group : groups_) deadline_ns = std::min(deadline_ns, group.answer_due_ns);
  return deadline_ns;
}

}  // namespace lambdacast::neighbor
