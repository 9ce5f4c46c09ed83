// SPDX-License-Identifier: BSD-3-Clause
// Groups with names, from what applications were told of them.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"
#include "sim/multicast/group_host.h"

namespace lambdacast::sim {

namespace {

using What = GroupTold::What;

class GroupCheck {
 public:
  explicit GroupCheck(const OrderLog& order) : order_(order), log_(order.log()) {
    for (uint32_t i = 0; i < log_.told.size(); ++i) {
      const Told& told = log_.told[i];
      if (told.is_ordered_message() && told.publication != kNobody)
        told_.emplace(uint64_t{told.receiver} << 32 | told.publication, i);
    }
    for (uint32_t number = 0; number < order.tenures().size(); ++number) {
      const Tenure& tenure = order.tenures()[number];
      const View& view = order.views()[tenure.view];
      tenures_.emplace(std::tuple(tenure.life, view.epoch, view.round, view.coordinator), number);
    }
  }

  Violations run() {
    for (const GroupTold& told : log_.group_told) {
      calls(told);
      if (told.what == What::kMessage) state_of(told);
      if (told.what == What::kView) names(told);
    }
    views();
    settled();
    return list_.take();
  }

 private:
  // A membership's place in what it is told.
  struct Membership {
    bool in = false;
    bool prepared = false;  // restored, or its state is lost
  };
  struct Seen {  // by a membership, in one view of the nodes
    std::vector<std::vector<uint32_t>> views;
    bool came = false;  // into the group
    bool went = false;
  };

  [[nodiscard]] std::string name(const GroupTold& told) const {
    return order_.index().name(told.life) + " in group " + kGroupNames[told.name] + ": ";
  }
  [[nodiscard]] uint32_t tenure_of(const GroupTold& told) const {
    if (told.view >= log_.views.size()) return kNobody;
    const InstalledView& view = log_.views[told.view];
    const auto found =
        tenures_.find(std::tuple(told.life, view.epoch, view.round, view.coordinator));
    return found == tenures_.end() ? kNobody : found->second;
  }

  // What comes when.
  void calls(const GroupTold& told) {
    Membership& membership = memberships_[{told.life, told.name}];
    const uint32_t tenure = tenure_of(told);
    Seen* const seen = tenure == kNobody ? nullptr : &seen_[{tenure, told.name}];
    switch (told.what) {
      case What::kMessage:
        if (!membership.in) list_.add(name(told) + "a message before the first view");
        break;
      case What::kView:
        if (seen != nullptr) {
          seen->came |= !membership.in;
          seen->views.push_back(told.members);
        }
        membership.in = true;
        if (std::find(told.members.begin(), told.members.end(), told.life) == told.members.end())
          list_.add(name(told) + "a view that it is not in");
        break;
      case What::kSnapshot:
        if (!membership.in) list_.add(name(told) + "asked for a state that it does not have");
        states_[told.name].insert(told.state);
        break;
      case What::kRestored:
        if (!states_[told.name].contains(told.state))
          list_.add(name(told) + "restored a state that nobody had");
        [[fallthrough]];
      case What::kLost:
        if (membership.in || membership.prepared) list_.add(name(told) + "a state, and it has one");
        membership.prepared = true;
        break;
      case What::kLock:
        if (!membership.in) list_.add(name(told) + "a lock before the first view");
        break;
      case What::kEnded:
        if (seen != nullptr) seen->went = true;
        membership = {};
    }
  }

  // Compares the states only of lives that the message binds.
  void state_of(const GroupTold& told) {
    const auto found = told_.find(uint64_t{told.life} << 32 | told.publication);
    if (found == told_.end() || !order_.firm(found->second)) return;
    const Place place = order_.place_told(found->second);
    const auto& [state, life] =
        states_behind_.try_emplace({told.name, place, told.publication}, told.state, told.life)
            .first->second;
    if (state == told.state) return;
    list_.add(name(told) + "behind message " + std::to_string(told.publication) +
              " it has another state than " + order_.index().name(life));
  }

  void names(const GroupTold& told) {
    const uint32_t tenure = tenure_of(told);
    if (tenure == kNobody) return;
    const uint32_t view = order_.tenures()[tenure].view;
    const uint32_t of_name = numbers_.try_emplace({view, told.name}, told.number).first->second;
    const uint32_t of_number = names_.try_emplace({view, told.number}, told.name).first->second;
    if (of_name != told.number) list_.add(name(told) + "has two numbers");
    if (of_number != told.name)
      list_.add(name(told) + "has the number of group " + kGroupNames[of_number]);
  }

  // Those who go on to the same view of the nodes, or live to the end. Where no view can follow the
  // last one, somebody may stand still before what others were told of.
  void views() {
    const bool owed = progress_owed(order_);
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::pair<const Seen*, uint32_t>> firsts;
    for (const auto& [key, seen] : seen_) {
      const Tenure& tenure = order_.tenures()[key.first];
      const bool ends = tenure.next == kNobody && !order_.index().alive(tenure.life);
      if (ends || seen.went) continue;
      const auto& [other, life] =
          firsts.try_emplace({tenure.view, tenure.next, key.second}, &seen, tenure.life)
              .first->second;
      const bool stuck = tenure.next == kNobody && !owed;
      if (stuck ? may_become_same(seen, *other) : same(seen, *other)) continue;
      list_.add(order_.index().name(tenure.life) + " in group " + kGroupNames[key.second] + ", " +
                order_.name(order_.views()[tenure.view]) + ": other views of the group than " +
                order_.index().name(life));
    }
  }
  // From when both were in the group.
  static bool same(const Seen& one, const Seen& other) {
    const size_t common = std::min(one.views.size(), other.views.size());
    if (!one.came && !other.came && one.views.size() != other.views.size()) return false;
    return std::equal(one.views.end() - static_cast<std::ptrdiff_t>(common), one.views.end(),
                      other.views.end() - static_cast<std::ptrdiff_t>(common));
  }
  static bool may_become_same(const Seen& one, const Seen& other) {
    const size_t common = std::min(one.views.size(), other.views.size());
    if (one.came || other.came) return true;  // from where on both were in it, nobody said
    return std::equal(one.views.begin(), one.views.begin() + static_cast<std::ptrdiff_t>(common),
                      other.views.begin());
  }

  void settled() {
    if (!progress_owed(order_)) return;
    const GroupStanding* first = nullptr;
    for (const GroupStanding& standing : log_.group_standings) {
      if (log_.lives[standing.life].left_ns != kNever || order_.tenures_of(standing.life).empty())
        continue;
      const std::string who = order_.index().name(standing.life);
      if (!standing.informed) list_.add(who + " was never told of the groups");
      if (!standing.informed) continue;
      if (first == nullptr) first = &standing;
      for (uint32_t i = 0; i < standing.groups.size(); ++i) {
        const GroupStanding::Group& group = standing.groups[i];
        const GroupStanding::Group& known = first->groups[i];
        const std::string which = who + " in group " + kGroupNames[i] + ": ";
        if (group.waiting) list_.add(which + "somebody waits for state in vain");
        if (group.in != group.wanted)
          list_.add(which +
                    (group.in ? "is in, and wants to be out" : "is not in, and wants to be"));
        if (std::tie(group.number, group.members) != std::tie(known.number, known.members))
          list_.add(which + "other members than " + order_.index().name(first->life) + " knows");
        const bool member = std::find(group.members.begin(), group.members.end(), standing.life) !=
                            group.members.end();
        if (member != group.in) list_.add(which + "a member without the state, or the reverse");
      }
    }
  }

  const OrderLog& order_;
  const Log& log_;
  ViolationList list_{"Groups"};
  std::unordered_map<uint64_t, uint32_t> told_;  // by receiver and publication: in Log::told
  std::map<std::tuple<uint32_t, uint64_t, uint64_t, uint32_t>, uint32_t> tenures_;
  std::map<std::pair<uint32_t, uint32_t>, Membership> memberships_;  // by life and name
  std::map<uint32_t, std::set<uint64_t>> states_;                    // by name: of snapshots
  std::map<std::tuple<uint32_t, Place, uint32_t>, std::pair<uint64_t, uint32_t>> states_behind_;
  std::map<std::pair<uint32_t, uint32_t>, Seen> seen_;         // by tenure and name
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;  // by view and name
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> names_;    // by view and number
};

}  // namespace

Violations check_groups(const OrderLog& order) { return GroupCheck(order).run(); }

}  // namespace lambdacast::sim
