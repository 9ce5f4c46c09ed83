// SPDX-License-Identifier: BSD-3-Clause
// What keeps a node from a view, for an operator to know: too few nodes for a first one, a view of
// others that takes nobody in, or too few members left for the next one. And whether a view is over
// for good, which its last members have to know too, and a joiner that may be a member of it
// (doc/decisions/0022-a-view-that-is-over.md).
//
// It decides and sends nothing. Not thread-safe: the lcore of the endpoint's ordering stage owns
// it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/node_set.h"
#include "membership/failure_detector.h"
#include "membership/member.h"
#include "membership/membership_config.h"

namespace lambdacast::membership {

// A state that lasts for longer than suspect_after.
struct Standing {
  enum class What : uint8_t {
    kClear,
    kFirstView,  // fewer nodes are here than a first view needs
    kOthers,     // others are in a view that does not take this node in
    kNoQuorum,   // the members that are here are too few for another view, or do not agree
    kOrder,      // another node orders otherwise, and shares no view with this one
    kOver        // no vote of its members makes another view any more: this node is out of it
  };
  What what = What::kClear;
  wire::ViewId view;       // its own, or that of the others; epoch 0 with kFirstView
  size_t here = 0;         // members of it that are heard, or joiners; this node included
  size_t needed = 0;       // of them; with a tie-breaker among them exactly half of a view suffices
  base::NodeSet missing;   // ranks of its own view that are not heard
  base::NodeSet over;      // of these, whose lives are known to be over
  wire::StreamName other;  // with kOrder

  bool operator==(const Standing&) const = default;
};

class Impasse {
 public:
  Impasse(const MembershipConfig& config, const FailureDetector& detector, const Member& member)
      : config_(config), detector_(detector), member_(member) {}

  // Looks anew; now and then.
  void look();
  // The view of this node is over, which remains to be told.
  void end();
  // This node is out of its view: nothing is in its way any more.
  void clear();
  // How things stand, once they have stood so for suspect_after.
  [[nodiscard]] const Standing& standing() const { return told_; }
  // Can no view follow the one that this node is in, whoever is heard again? The lives that are not
  // known to be over are no quorum, and nobody is heard who has gone on. The same is asked of the
  // view that a joiner holds on to, and has to be so for suspect_after.
  [[nodiscard]] bool is_over() const { return over_; }

 private:
  [[nodiscard]] Standing stands() const;
  [[nodiscard]] Standing among_joiners() const;
  [[nodiscard]] Standing in_view() const;
  [[nodiscard]] bool nothing_can_follow() const;
  [[nodiscard]] bool holds_on_in_vain() const;
  [[nodiscard]] bool somebody_goes_on(uint64_t epoch) const;
  [[nodiscard]] bool is_quorum_without(const View& view, const base::NodeSet& gone) const;

  const MembershipConfig config_;
  const FailureDetector& detector_;
  const Member& member_;
  Standing told_;
  Standing seen_;                      // at the last look,
  uint64_t same_since_uptime_ns_ = 0;  // all of it, and
  uint64_t since_uptime_ns_ = 0;       // what it is
  uint64_t in_vain_uptime_ns_ = 0;     // since when a joiner holds on in vain
  bool over_ = false;
};

}  // namespace lambdacast::membership
