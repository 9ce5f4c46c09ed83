// SPDX-License-Identifier: BSD-3-Clause
// Logs of messages about one lock, written by hand: three nodes in one view.
#pragma once

#include <compare>
#include <utility>
#include <vector>

#include "order_script.h"
#include "sim/check/coverage.h"
#include "sim/check/lock_history.h"

namespace lambdacast::sim {

struct StepOf {  // of the lock's history
  uint32_t holder = kNobody;
  uint64_t epoch = 0;
  uint64_t place = 0;
  bool operator==(const StepOf&) const = default;
};
using Steps = std::vector<StepOf>;

class LockScript : public OrderScript {
 public:
  static constexpr LockName kLock{kScriptGroup, 5};

  LockScript() : OrderScript(3) {
    scenario_.groups.on = scenario_.groups.locks = true;
    install(1, {0, 1, 2});
  }

  // At that index, which all members are told.
  LockSaid& say(LockSaid::What what, uint32_t life, uint64_t index) {
    LockSaid said;
    said.what = what;
    said.life = life;
    said.lock = kLock;
    said.membership = 1;
    said.publication = publish(life, wire::Qos::kTotallyResilient);
    deliver({0, 1, 2}, said.publication, index);
    log_.locks_said.push_back(said);
    return log_.locks_said.back();
  }
  void release(uint32_t life, uint64_t index, std::pair<uint64_t, uint64_t> token,
               uint32_t heir = kNobody) {
    LockSaid& said = say(LockSaid::What::kRelease, life, index);
    said.epoch = token.first;
    said.place = token.second;
    said.heir = heir;
  }
  // The application of that life is told.
  void tell(uint32_t life, GroupTold::Lock lock, uint32_t holder, uint64_t epoch, uint64_t place) {
    GroupTold told;
    told.what = GroupTold::What::kLock;
    told.life = life;
    told.number = kLock.group;
    told.lock = lock;
    told.handler = kLock.handler;
    told.holder = holder;
    told.grant = {77, epoch, place};
    log_.group_told.push_back(told);
  }
  // The application of that life is told that the group has fewer members than it needs, or that it
  // goes on.
  void suspend(uint32_t life, bool suspended = true) {
    GroupTold told;
    told.what = GroupTold::What::kView;
    told.life = life;
    told.number = kLock.group;
    told.suspended = suspended;
    log_.group_told.push_back(told);
  }
  void write(uint32_t life, uint64_t epoch, uint64_t place, bool taken) {
    log_.register_writes.push_back({life, step(), kLock, {77, epoch, place}, taken, 1});
  }
  // It lives to the end, and is a member with those.
  void end(uint32_t life, const Lives& members) {
    GroupStanding standing;
    standing.life = life;
    standing.informed = true;
    standing.groups.push_back({kLock.group, members, false, true, true});
    log_.group_standings.push_back(standing);
  }
  [[nodiscard]] Coverage coverage() const {
    Coverage coverage;
    coverage.add(log_);
    return coverage;
  }
  [[nodiscard]] Steps history() const {
    const OrderLog order(scenario_, log_);
    const LockHistory history(order);
    Steps steps;
    const auto found = history.chains().front().find(kLock);
    if (found == history.chains().front().end()) return steps;
    for (const LockHistory::Step& step : found->second)
      steps.push_back({step.holder, step.epoch, step.place});
    return steps;
  }
};

}  // namespace lambdacast::sim
