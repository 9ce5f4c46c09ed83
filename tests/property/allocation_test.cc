// SPDX-License-Identifier: BSD-3-Clause
// Several Allocations with one order of events, each as far behind as it likes: no receiver is ever
// sent more than its room. The members change, and those that have departed go on at their last
// share for a while. Rules that are wrong are found by the same run.
#include "rate_control/allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace lambdacast::rate_control {
namespace {

using Event = Allocation::Event;

enum class Rule {
  kShipped,
  kRisesAtItsMark,    // the share of the newest event
  kDepartedForgotten  // nothing is kept for those that have departed
};

// Content of the rate domain: one for each event.
struct Said {
  size_t speaker = 0;  // node
  MemberRates rates;
  Event settled;
};

struct Node {
  Allocation allocation;
  size_t rank = 0;
  uint64_t applied = 0;  // events of the view
  uint64_t settled = 0;
};

class Run {
 public:
  Run(uint64_t seed, Rule rule) : random_(seed), rule_(rule) {
    const size_t count = 2 + random_.below(5);
    nodes_ = std::vector<Node>(count);
    std::vector<Allocation::Member> members;
    for (size_t i = 0; i < count; ++i) {
      room_.push_back(100 + random_.below(400));
      in_view_.push_back(i);
      nodes_[i].rank = i;
      members.push_back({said_by(i), i});
    }
    for (Node& node : nodes_) node.allocation.begin(1, members, node.rank);
    for (Node& node : nodes_) node.allocation.settle(0);
  }

  // Steps until a receiver would be sent too much, or as many as that.
  [[nodiscard]] bool overruns(int steps) {
    for (int step = 0; step < steps; ++step) {
      advance();
      for (size_t j = 0; j < nodes_.size(); ++j) {
        if (sent_towards(j) > room_[j]) return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] MemberRates said_by(size_t node) { return {random_.below(600), 0, room_[node], 0}; }
  [[nodiscard]] uint64_t rate_of(size_t node) const {
    const Allocation& own = nodes_[node].allocation;
    return rule_ == Rule::kRisesAtItsMark ? own.shares()[nodes_[node].rank].bps : own.own_bps();
  }
  [[nodiscard]] uint64_t sent_towards(size_t j) const {
    uint64_t sum = 0;
    for (const size_t i : in_view_) sum += i == j ? 0 : rate_of(i);
    for (const auto& [node, bps] : departed_) sum += node == j ? 0 : bps;
    return std::find(in_view_.begin(), in_view_.end(), j) == in_view_.end() ? 0 : sum;
  }

  void advance() {
    const size_t node = in_view_[random_.below(in_view_.size())];
    switch (random_.below(8)) {
      case 0:
        return say(node);
      case 1:
        if (random_.below(20) == 0 && in_view_.size() > 2) change_view(node);
        return;
      case 2:
      case 3:
        return settle(node);
      default:
        if (nodes_[node].applied < order_.size()) apply(nodes_[node]);
    }
  }
  void say(size_t node) {
    order_.push_back({node, said_by(node), nodes_[node].allocation.settled()});
  }
  void apply(Node& node) {
    const Said& said = order_[node.applied++];
    if (said.speaker == kReserve)
      node.allocation.reserve(0, said.settled);
    else
      node.allocation.announce(nodes_[said.speaker].rank, said.rates, said.settled);
    EXPECT_EQ(node.allocation.mark_applied().event, node.applied);
  }
  // It has heard some of the acknowledgements that all have given.
  void settle(size_t node) {
    uint64_t least = ~uint64_t{0};
    for (const size_t i : in_view_) least = std::min(least, nodes_[i].applied);
    Node& own = nodes_[node];
    if (least > own.settled) own.settled += 1 + random_.below(least - own.settled);
    own.allocation.settle(own.settled);
  }
  // Without that one, who does not hear of it: all others take everything that was said first.
  void change_view(size_t gone) {
    departed_.push_back({gone, rate_of(gone)});
    std::vector<Allocation::Member> members;
    std::vector<size_t> rest;
    for (const size_t i : in_view_) {
      if (i == gone) continue;
      while (nodes_[i].applied < order_.size()) apply(nodes_[i]);
      rest.push_back(i);
    }
    for (const size_t i : rest) {
      const Allocation& any = nodes_[rest[0]].allocation;
      members.push_back({any.rates(nodes_[i].rank), nodes_[i].rank});
    }
    for (size_t rank = 0; rank < rest.size(); ++rank) {
      Node& node = nodes_[rest[rank]];
      node.allocation.begin(epoch_ + 1, members, rank);
      node.applied = node.settled = 0;
    }
    for (size_t rank = 0; rank < rest.size(); ++rank) nodes_[rest[rank]].rank = rank;
    ++epoch_;
    in_view_ = rest;
    order_.clear();
    if (rule_ == Rule::kDepartedForgotten || random_.below(2) == 0) {
      // They have been silent for long enough, or so somebody says.
      if (rule_ == Rule::kShipped) departed_.clear();
      order_.push_back({kReserve, {}, {}});
    }
  }

  static constexpr size_t kReserve = ~size_t{0};
  base::SplitMix64 random_;
  const Rule rule_;
  std::vector<Node> nodes_;
  std::vector<uint64_t> room_;                         // by node
  std::vector<size_t> in_view_;                        // nodes, by rank
  std::vector<std::pair<size_t, uint64_t>> departed_;  // nodes that still send, and how much
  std::vector<Said> order_;                            // of the view
  uint64_t epoch_ = 1;
};

int overrunning_runs(Rule rule, int runs) {
  int found = 0;
  for (int seed = 1; seed <= runs; ++seed)
    found += Run(static_cast<uint64_t>(seed), rule).overruns(400) ? 1 : 0;
  return found;
}

TEST(AllocationProperty, any_history__expect_no_receiver_to_be_sent_more_than_its_room) {
  EXPECT_EQ(overrunning_runs(Rule::kShipped, 3'000), 0);
}

TEST(AllocationProperty, rise_at_the_own_mark__expect_receivers_to_be_overrun) {
  EXPECT_GT(overrunning_runs(Rule::kRisesAtItsMark, 300), 50);
}

TEST(AllocationProperty, forget_the_departed__expect_receivers_to_be_overrun) {
  EXPECT_GT(overrunning_runs(Rule::kDepartedForgotten, 300), 5);
}

}  // namespace
}  // namespace lambdacast::rate_control
