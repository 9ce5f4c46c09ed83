// SPDX-License-Identifier: BSD-3-Clause
// Locks of groups, and the registers that they guard, from what applications were told.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sim/check/checkers.h"
#include "sim/check/lock_history.h"
#include "sim/check/violations.h"
#include "sim/multicast/group_host.h"

namespace lambdacast::sim {

namespace {

using What = GroupTold::What;
using Steps = LockHistory::Steps;

// The chain of views that each call was in. Of a life all are in one.
std::map<uint32_t, uint32_t> chains_of_lives(const OrderLog& order, const LockHistory& history) {
  std::map<uint32_t, uint32_t> chains;
  for (const Tenure& tenure : order.tenures())
    chains.emplace(tenure.life, history.chain_of(tenure.view));
  return chains;
}

// The history has no suspensions: check_suspended() looks at locks of groups that may be so.
bool follows(const Scenario& scenario, uint32_t name) {
  return !scenario.groups.suspended_locks || name != kSuspendedName;
}

class HandlerCheck {
 public:
  explicit HandlerCheck(const OrderLog& order)
      : order_(order),
        log_(order.log()),
        history_(order),
        chains_(chains_of_lives(order, history_)) {}

  Violations run() {
    for (const GroupTold& told : log_.group_told) {
      if (!follows(order_.scenario(), told.name)) {
        others_.insert(told.number);
        continue;
      }
      if (told.what == What::kEnded) end(told.life, told.number);
      if (told.what == What::kLock) follow(told);
    }
    if (progress_owed(order_)) settled();
    return list_.take();
  }

 private:
  using Seen = std::map<std::pair<uint32_t, LockName>, size_t>;  // steps up to the last one told

  [[nodiscard]] std::string name(uint32_t life, const LockName& lock) const {
    return order_.index().name(life) + ", lock " + std::to_string(lock.handler) + " of group " +
           std::to_string(lock.group) + ": ";
  }
  [[nodiscard]] const Steps* steps(uint32_t life, const LockName& lock) const {
    static const Steps kNone;
    const auto chain = chains_.find(life);
    if (chain == chains_.end() || chain->second == kNobody) return nullptr;
    const auto& locks = history_.chains()[chain->second];
    const auto found = locks.find(lock);
    return found == locks.end() ? &kNone : &found->second;
  }
  void end(uint32_t life, uint32_t group) {
    std::erase_if(seen_, [&](const auto& each) {
      return each.first.first == life && each.first.second.group == group;
    });
  }

  // Is what a life is told the next step behind what it was told last?
  void follow(const GroupTold& told) {
    if (told.lock == GroupTold::Lock::kQueued || told.lock == GroupTold::Lock::kRefused) return;
    const LockName lock{told.number, told.handler};
    const Steps* const all = steps(told.life, lock);
    if (all == nullptr) return;
    const bool freed = told.lock == GroupTold::Lock::kFreed;
    size_t at = 0;
    while (at < all->size() && !is_step(told, (*all)[at], freed)) ++at;
    const auto grant = std::to_string(told.grant.epoch) + "." + std::to_string(told.grant.place);
    if (at == all->size())
      return list_.add(name(told.life, lock) +
                       "told of what no request, departure or view gives: " + grant +
                       (freed ? ", freed" : ""));
    const auto [seen, first] = seen_.try_emplace({told.life, lock}, at);
    const bool again = !first && seen->second == at && told.holder == told.life &&
                       told.lock == GroupTold::Lock::kGranted;
    if (!first && !again && at != seen->second + 1)
      list_.add(name(told.life, lock) + "a step left out, or told twice, before " + grant);
    // A member hears at its first view of what was granted before, however it was.
    if (!first && !again && told.lock != (*all)[at].what)
      list_.add(name(told.life, lock) + "granted for moved, or the reverse: " + grant);
    seen->second = at;
  }
  static bool is_step(const GroupTold& told, const LockHistory::Step& step, bool freed) {
    return std::tie(told.grant.epoch, told.grant.place, told.holder) ==
               std::tie(step.epoch, step.place, step.holder) &&
           freed == (step.what == GroupTold::Lock::kFreed);
  }

  // Members that live to the end know the last holder, which is one of them.
  void settled() {
    for (const GroupStanding& standing : log_.group_standings) {
      if (log_.lives[standing.life].left_ns != kNever) continue;
      const auto chain = chains_.find(standing.life);
      if (chain == chains_.end() || chain->second == kNobody) continue;
      for (const auto& entry : history_.chains()[chain->second]) {
        const auto& lock = entry.first;
        const auto& all = entry.second;
        if (others_.contains(lock.group)) continue;
        const auto group = std::ranges::find_if(standing.groups, [&](const auto& each) {
          return each.in && each.number == lock.group;
        });
        if (group == standing.groups.end()) continue;
        const auto seen = seen_.find({standing.life, lock});
        const bool told_last = seen != seen_.end() && seen->second + 1 == all.size();
        const uint32_t holder = all.back().holder;
        if (!told_last && (seen != seen_.end() || holder != kNobody))
          list_.add(name(standing.life, lock) + "not told of its last holder");
        if (holder != kNobody && std::ranges::count(group->members, holder) == 0)
          list_.add(name(standing.life, lock) + "held by who is no member");
      }
    }
  }

  const OrderLog& order_;
  const Log& log_;
  const LockHistory history_;
  const std::map<uint32_t, uint32_t> chains_;
  ViolationList list_{"Handlers"};
  Seen seen_;
  std::set<uint32_t> others_;  // groups that are not followed
};

}  // namespace

Violations check_handlers(const OrderLog& order) {
  return order.scenario().groups.locks ? HandlerCheck(order).run() : Violations{};
}

Violations check_fenced(const OrderLog& order) {
  ViolationList list("Fenced");
  std::map<std::pair<LockName, LockGrant>, uint32_t> writers;
  std::map<std::pair<LockName, uint32_t>, LockGrant> newest;
  for (const RegisterWrite& write : order.log().register_writes) {
    const std::string who = order.index().name(write.life) + " writes by " +
                            std::to_string(write.grant.epoch) + "." +
                            std::to_string(write.grant.place) + ": ";
    const uint32_t writer =
        writers.try_emplace({write.lock, write.grant}, write.life).first->second;
    if (writer != write.life) list.add(who + "the token of " + order.index().name(writer));
    LockGrant& most = newest[{write.lock, write.grant.lineage}];
    if (write.taken && write.grant < most) list.add(who + "taken behind a newer one");
    if (write.taken) most = write.grant;
  }
  return list.take();
}

}  // namespace lambdacast::sim
