// SPDX-License-Identifier: BSD-3-Clause
// Whether members come to the max-min fair shares of what they have announced, where nothing has
// changed for a while, and whether the share of who is gone comes back.
#include <algorithm>
#include <map>
#include <optional>

#include "sim/check/checkers.h"
#include "sim/check/log_index.h"
#include "sim/check/outside_rate.h"
#include "sim/check/violations.h"
#include "sim/check/water_level.h"

namespace lambdacast::sim {
namespace {

// The state of a run at some moment.
struct Standing {
  std::map<uint32_t, RatesSaid> said;           // by life: its last announcement
  std::map<uint32_t, const InstalledView*> in;  // by life: the view that it was told last
  std::map<uint32_t, Allowance> allowed;        // by life
  uint64_t last_ballot = 0;                     // the highest epoch of one that was begun
};

// A moment from which on something may have to be agreed on, and by when it is.
struct Change {
  uint64_t at_ns = 0;
  uint64_t settled_ns = 0;
};

class Times {
 public:
  Times(const Scenario& scenario, const Log& log) : scenario_(scenario) {
    const membership::MembershipConfig& views = scenario.membership.views;
    uint64_t slowest_ns = 0;
    for (const NodeScenario& node : scenario.nodes)
      slowest_ns = std::max({slowest_ns, node.poll_every_ns, node.wild.most_delay_ns});
    const uint64_t round_trip_ns =
        2 * (scenario.fabric.latency_ns + scenario.fabric.jitter_ns + slowest_ns) + views.ack_ns;
    const uint64_t agreed_ns = 20 * round_trip_ns + 2 * views.heartbeat_ns;
    for (const RatesSaid& said : log.rates_said) add(said.at_ns, agreed_ns);
    for (const Life& life : log.lives) {
      for (const uint64_t at_ns : {life.born_ns, life.died_ns, life.left_ns}) add(at_ns, agreed_ns);
    }
    for (const Told& told : log.told) {
      if (told.what == Told::What::kExcluded) add(told.at_ns, agreed_ns);
    }
    for (const BallotSpeech& ballot : log.ballots) add(ballot.at_ns, agreed_ns);
    // Shares of the departed are kept for two leases.
    for (const InstalledView& view : log.views)
      add(view.at_ns, views.suspect_after_ns / 2 + agreed_ns);
    for (const Action& action : scenario.actions) add(action.at_ns, agreed_ns);
    add(scenario.fabric.faults_end_ns, settling_ns(scenario) + scenario.unshared_ns);
    std::sort(changes_.begin(), changes_.end(),
              [](const Change& a, const Change& b) { return a.at_ns < b.at_ns; });
  }

  // The last moment of each time in which nothing is to be agreed on, while no fault may strike.
  template <typename Visit>
  void for_each_rest(Visit&& visit) const {
    uint64_t busy_ns = scenario_.fabric.faults_end_ns;
    for (size_t i = 0; i < changes_.size(); ++i) {
      busy_ns = std::max(busy_ns, changes_[i].settled_ns);
      const uint64_t end_ns = i + 1 < changes_.size() ? changes_[i + 1].at_ns : scenario_.end_ns;
      if (busy_ns < end_ns) visit(end_ns - 1);
    }
  }

 private:
  void add(uint64_t at_ns, uint64_t settles_ns) {
    if (at_ns < scenario_.end_ns) changes_.push_back({at_ns, at_ns + settles_ns});
  }

  const Scenario& scenario_;
  std::vector<Change> changes_;
};

class Fair {
 public:
  Fair(const Scenario& scenario, const Log& log)
      : scenario_(scenario), log_(log), index_(scenario, log) {}

  Violations run() {
    Times(scenario_, log_).for_each_rest([&](uint64_t at_ns) {
      move_to(at_ns);
      look(at_ns);
    });
    return list_.take();
  }

 private:
  void move_to(uint64_t at_ns) {
    for (; said_ < log_.rates_said.size() && log_.rates_said[said_].at_ns <= at_ns; ++said_) {
      const RatesSaid& said = log_.rates_said[said_];
      if (!said.reserve) now_.said[said.life] = said;
    }
    for (; view_ < log_.views.size() && log_.views[view_].at_ns <= at_ns; ++view_)
      now_.in[log_.views[view_].life] = &log_.views[view_];
    for (; ballot_ < log_.ballots.size() && log_.ballots[ballot_].at_ns <= at_ns; ++ballot_)
      now_.last_ballot = std::max(now_.last_ballot, log_.ballots[ballot_].epoch);
    for (; allowed_ < log_.allowances.size() && log_.allowances[allowed_].at_ns <= at_ns;
         ++allowed_)
      now_.allowed[log_.allowances[allowed_].life] = log_.allowances[allowed_];
  }
  [[nodiscard]] bool alive(uint32_t life, uint64_t at_ns) const {
    return life != kNobody && log_.lives[life].born_ns <= at_ns &&
           std::min(log_.lives[life].died_ns, log_.lives[life].left_ns) > at_ns;
  }

  // Looks at the last view, if its members are alive and in it.
  void look(uint64_t at_ns) {
    const InstalledView* view = nullptr;
    for (const auto& [life, in] : now_.in) {
      if (view == nullptr || in->epoch > view->epoch) view = in;
    }
    if (view == nullptr || view->members.size() < 2) return;
    Sharing sharing;
    for (const uint32_t member : view->members) {
      const auto in = now_.in.find(member);
      const auto said = now_.said.find(member);
      if (!alive(member, at_ns) || in == now_.in.end() || said == now_.said.end()) return;
      if (in->second->epoch != view->epoch || in->second->round != view->round) return;
      sharing.room.push_back(or_none(said->second.room_bps));
      sharing.cap.push_back(std::min(said->second.need_bps, or_none(said->second.line_bps)));
    }
    for (size_t i = 0; i < view->members.size(); ++i) {
      for (size_t j = 0; j < view->members.size(); ++j) {
        const uint64_t each = or_none(now_.said[view->members[j]].each_bps);
        if (i != j) sharing.cap[i] = std::min(sharing.cap[i], each);
      }
    }
    const std::vector<uint64_t> fair = water_levels(sharing);
    for (size_t rank = 0; rank < fair.size(); ++rank) {
      const uint32_t member = view->members[rank];
      const uint64_t limit = or_none(index_.node(member).rate.limit_bps);
      if (gave_up_its_share(member, *view)) continue;
      compare(member, std::min(limit, std::max(fair[rank], outside(*view, member))), at_ns);
    }
  }
  // A member has no share from when it takes part in a ballot to the next view. That lasts as long
  // as repairs at the rate of a node without one.
  [[nodiscard]] bool gave_up_its_share(uint32_t life, const InstalledView& view) const {
    const auto found = now_.allowed.find(life);
    const bool ballot_on = now_.last_ballot > view.epoch;
    return ballot_on && found != now_.allowed.end() && !found->second.shared;
  }
  // No share is less than what a node has without one.
  [[nodiscard]] uint64_t outside(const InstalledView& view, uint32_t life) {
    const uint64_t own = index_.node(life).rate.outside_bps;
    if (own != 0) return own;
    uint64_t least = kNoLimit;
    for (const uint32_t member : view.members) {
      if (member != life) least = std::min(least, or_none(now_.said[member].reserve_bps));
    }
    const size_t nodes = scenario_.membership.views.initial_nodes == 0
                             ? scenario_.nodes.size()
                             : scenario_.membership.views.initial_nodes;
    return least / (3 * std::max(nodes, view.members.size()));
  }
  void compare(uint32_t life, uint64_t fair, uint64_t at_ns) {
    const auto found = now_.allowed.find(life);
    if (found == now_.allowed.end()) return;
    if (found->second.bps == fair && found->second.shared) return;
    list_.add(index_.name(life) + " may send " + std::to_string(found->second.bps) + " bit/s" +
              (found->second.shared ? "" : ", without a share,") + " at " + std::to_string(at_ns) +
              " ns, and its fair share is " + std::to_string(fair));
  }
  [[nodiscard]] static uint64_t or_none(uint64_t bps) { return bps == 0 ? kNoLimit : bps; }

  const Scenario& scenario_;
  const Log& log_;
  const LogIndex index_;
  ViolationList list_{"Fair"};
  Standing now_;
  size_t said_ = 0;
  size_t view_ = 0;
  size_t ballot_ = 0;
  size_t allowed_ = 0;
};

}  // namespace

Violations check_fair(const Scenario& scenario, const Log& log) {
  if (!log.rates) return {};
  return Fair(scenario, log).run();
}

}  // namespace lambdacast::sim
