// SPDX-License-Identifier: BSD-3-Clause
// Locks of a group that is suspended with too few members. The log does not say at which place of
// the order a suspension begins or ends, so this follows what each member was told.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"
#include "sim/multicast/group_host.h"

namespace lambdacast::sim {

namespace {

using What = GroupTold::What;
using Lock = GroupTold::Lock;

class SuspendedCheck {
 public:
  explicit SuspendedCheck(const OrderLog& order) : order_(order), log_(order.log()) {}

  Violations run() {
    for (const GroupTold& told : log_.group_told) {
      if (told.name == kSuspendedName) follow(told);
    }
    if (progress_owed(order_)) settled();
    return list_.take();
  }

 private:
  // The standing of a lock behind a change: who has it by which grant. Nobody: by the last one.
  struct Step {
    LockGrant grant;
    uint32_t holder = kNobody;
    auto operator<=>(const Step&) const = default;
  };
  // A lock as a member knows it.
  struct Known {
    std::optional<Step> last;
    bool waits = false;  // its own request
  };
  struct Member {
    bool in = false;
    bool begins = false;  // it is told of the locks that are held
    bool suspended = false;
    std::map<LockName, Known> locks;
  };

  void follow(const GroupTold& told) {
    Member& member = members_[told.life];
    switch (told.what) {
      case What::kView:
        member.begins = !std::exchange(member.in, true);
        member.suspended = told.suspended;
        return;
      case What::kMessage:
        member.begins = false;
        return;
      case What::kLost:
      case What::kEnded:
        member = {};
        return;
      case What::kLock:
        return change(member, told);
      case What::kSnapshot:
      case What::kRestored:
        return;
    }
  }

  void change(Member& member, const GroupTold& told) {
    const LockName lock{told.number, told.handler};
    Known& known = member.locks[lock];
    if (told.lock == Lock::kQueued) known.waits = true;
    if (told.lock == Lock::kQueued || told.lock == Lock::kRefused) return;
    const Step step{told.grant, told.holder};
    if (known.last == step) return;  // to its holder, which has asked again
    const bool granted = told.lock != Lock::kFreed;
    if (granted && member.suspended && !member.begins)
      say(told, "granted while the group is suspended");
    if (told.holder == told.life) known.waits = false;
    if (granted) {
      const uint32_t first = holders_.try_emplace({lock, told.grant}, told.holder).first->second;
      if (first != told.holder) say(told, "granted to two lives by one token");
    }
    if (known.last) {
      if (step.grant < known.last->grant) say(told, "told of an older grant");
      const auto next =
          next_.try_emplace({lock, known.last->grant, known.last->holder}, step).first;
      if (next->second != step) say(told, "told of another change than others");
    }
    known.last = step;
  }

  // As soon as the group goes on, a lock that is free goes to the member that has waited longest.
  void settled() {
    for (const GroupStanding& standing : log_.group_standings) {
      const auto found = members_.find(standing.life);
      const auto& group = standing.groups[kSuspendedName];
      if (found == members_.end() || !group.in || found->second.suspended) continue;
      for (const auto& [lock, known] : found->second.locks) {
        if (lock.group != group.number) continue;
        const bool free = !known.last || known.last->holder == kNobody;
        if (known.waits && free && !given_up(standing.life, lock))
          list_.add(order_.index().name(standing.life) + ", lock " + std::to_string(lock.handler) +
                    ": waits for what nobody has, and the group goes on");
        if (!free && std::ranges::count(group.members, known.last->holder) == 0)
          list_.add(order_.index().name(standing.life) + ", lock " + std::to_string(lock.handler) +
                    ": held by who is no member");
      }
    }
  }
  // Has it said at any time that it waits no more?
  [[nodiscard]] bool given_up(uint32_t life, const LockName& lock) const {
    return std::ranges::any_of(log_.locks_said, [&](const LockSaid& said) {
      return said.life == life && said.lock == lock && said.what == LockSaid::What::kWithdraw;
    });
  }

  void say(const GroupTold& told, const std::string& what) {
    list_.add(order_.index().name(told.life) + ", lock " + std::to_string(told.handler) + ": " +
              what + ", " + std::to_string(told.grant.epoch) + "." +
              std::to_string(told.grant.place));
  }

  const OrderLog& order_;
  const Log& log_;
  ViolationList list_{"Suspended"};
  std::map<uint32_t, Member> members_;                              // by life
  std::map<std::pair<LockName, LockGrant>, uint32_t> holders_;      // by grant
  std::map<std::tuple<LockName, LockGrant, uint32_t>, Step> next_;  // by grant and holder
};

}  // namespace

Violations check_suspended(const OrderLog& order) {
  return order.scenario().groups.suspended_locks ? SuspendedCheck(order).run() : Violations{};
}

}  // namespace lambdacast::sim
