// SPDX-License-Identifier: BSD-3-Clause
// What a node says beside ballots and votes, and when: member frames, and the last view's value to
// those who have not heard it.
//
// A member frame that does not fit a packet goes in parts. Each is a frame of its own, about the
// ranks from its first on.
//
// Not thread-safe: the lcore of the endpoint's ordering stage owns it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "membership/ballot.h"
#include "membership/failure_detector.h"
#include "membership/member.h"
#include "membership/membership_config.h"
#include "membership/membership_host.h"

namespace lambdacast::membership {

class Speech {
 public:
  Speech(const MembershipConfig& config, FailureDetector& detector, Member& member,
         MembershipHost& host);

  // There is something to acknowledge: it goes out as soon as ack_ns allows, from that time on.
  void hurry(uint64_t from_ns = 0) { ack_from_ns_ = std::min(ack_from_ns_, from_ns); }
  // The peer has not come along to our view: a member of it hears it again, one that was left out
  // of it is told so. One member speaks for all.
  void note_latecomer(const FailureDetector::Peer& peer, uint64_t now_ns);
  // `own`: this node's coordinator brought it about, and says so.
  void view_begins(bool own, uint64_t now_ns);
  // This node is out, by its own ballot, which the others have to hear of.
  void say_farewell(uint64_t now_ns);
  // This node is out of its own accord, and the others go on hearing it: it says so, until it hears
  // that they have gone on.
  void say_out() {
    says_out_ = true;
    hurry();
  }
  void heard_that_they_went_on() { says_out_ = false; }

  // Writes the next frame that is due, or returns 0.
  [[nodiscard]] size_t next_control(uint8_t* payload, size_t room, uint64_t now_ns);
  // The time before which next_control() has nothing.
  [[nodiscard]] uint64_t next_deadline_ns() const;

  // Would next_control() write no more than acknowledgements, which a later frame covers too?
  [[nodiscard]] bool only_acknowledges(uint64_t now_ns) const {
    return !install_.pending() && farewells_ == 0 && member_next_ == kSaid && out_.empty() &&
           now_ns < member_said_ns_ + config_.heartbeat_ns && now_ns < notice_due_ns();
  }

  // When a sign of life is due at the latest; ~0: none is.
  [[nodiscard]] uint64_t heartbeat_due_ns() const {
    return speaks() ? member_said_ns_ + config_.heartbeat_ns : ~uint64_t{0};
  }

  [[nodiscard]] uint64_t members() const { return members_; }    // frames written
  [[nodiscard]] uint64_t installs() const { return installs_; }  // frames written

 private:
  [[nodiscard]] uint64_t member_due_ns() const;
  [[nodiscard]] uint64_t notice_due_ns() const;
  void begin_member(uint64_t now_ns);
  [[nodiscard]] uint8_t flags();
  [[nodiscard]] size_t write_member(uint8_t* payload, size_t room);
  [[nodiscard]] size_t write_names(uint8_t* payload, size_t room, size_t ranks);
  [[nodiscard]] size_t write_notice(uint8_t* payload, uint64_t now_ns);
  [[nodiscard]] wire::ControlHeader member_header(size_t ranks, bool wide) const;
  [[nodiscard]] bool speaks() const {
    return says_out_ || member_.state() != wire::MemberState::kExcluded;
  }

  const MembershipConfig config_;
  FailureDetector& detector_;
  Member& member_;
  MembershipHost& host_;

  static constexpr uint64_t kNoAck = ~uint64_t{0};
  uint64_t ack_from_ns_ = 0;  // kNoAck: there is nothing to acknowledge
  uint64_t member_said_ns_ = 0;
  static constexpr size_t kSaid = ~size_t{0};
  size_t member_next_ = kSaid;  // rank that the next part of what is said begins with
  uint8_t flags_ = 0;           // of all its parts
  uint64_t notice_said_ns_ = 0;
  bool says_out_ = false;
  std::vector<wire::StreamName> out_;  // to be told in the next kMember

  static constexpr uint32_t kFarewells = 3;
  ValueParts install_;
  uint64_t install_said_ns_ = 0;
  uint32_t farewells_ = 0;  // times that an excluded coordinator still says kInstall

  uint64_t members_ = 0;
  uint64_t installs_ = 0;
};

}  // namespace lambdacast::membership
