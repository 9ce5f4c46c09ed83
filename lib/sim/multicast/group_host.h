// SPDX-License-Identifier: BSD-3-Clause
// Groups with names in the simulation. Each life has a GroupLayer above its endpoint, and an
// application that is in some groups; its state of a group is a hash of what was delivered.
//
// The endpoint of every node subscribes to the numbers of all names. The GroupLayer picks what is
// for its node, so that the checkers know which messages every node is owed.
//
// Callers outside the view are applications of its members here, which go by sessions, entries and
// personal groups as if they were in no view: so the order and the fabric below are checked as in
// all other scenarios.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/uptime_clock.h"
#include "group/group_layer.h"
#include "group/outside_calls.h"
#include "sim/multicast/call_host.h"
#include "sim/multicast/log.h"
#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

// The last two ask for the same number first.
inline constexpr std::array kGroupNames{"a", "b", "group 5613", "group 45646"};
// Its group needs two members with state, if callers are outside the view or the scenario has
// suspended_locks.
inline constexpr uint32_t kSuspendedName = 1;

// All numbers that the names may have, and the directory's.
[[nodiscard]] std::vector<uint32_t> group_numbers();

// The part of the simulation that the groups of a life need.
class GroupWorld : public CallWorld {
 public:
  // `kind`: kData for a message of the application, which is made of nothing; kGroup or kRequest
  // for `bytes` of that layer. False: not now.
  virtual bool publish_to_group(uint32_t life, std::span<const uint8_t> bytes, uint32_t group,
                                wire::Qos qos, wire::Kind kind) = 0;
  virtual void told_of_group(GroupTold told) = 0;
  // The life writes to the lock's register. Does the register take it?
  virtual bool write_register(uint32_t life, const LockName& lock, const LockGrant& grant) = 0;
  // The epoch of the view in which that life is operational; 0: of none.
  [[nodiscard]] virtual uint64_t operational(uint32_t life) const = 0;
};

class GroupHost final : private group::Carrier {
 public:
  GroupHost(GroupWorld& world, uint32_t life, const wire::StreamName& self, uint64_t seed,
            const GroupScenario& groups = {});
  ~GroupHost() override;

  void view(uint64_t epoch, std::span<const wire::StreamName> members, size_t stayed) {
    core_.view(epoch, members, stayed);
  }
  void out() { core_.out(group::End::kExcluded); }
  void group_message(const group::Delivery& from, std::span<const uint8_t> payload) {
    core_.group_message(from, payload);
  }
  void request_message(const group::Delivery& from, std::span<const uint8_t> message);
  void deliver(const group::Delivery& delivery, std::span<const uint8_t> message, uint32_t place) {
    core_.deliver(delivery, message, place);
  }
  // Joins, leaves or publishes at random if `busy`.
  void act(bool busy);
  // Asks for a lock, gives one back, or writes by its token, at random.
  void act_on_locks();
  // Calls at random if `busy`, and answers.
  void act_on_calls(bool busy) { calls_.act(busy); }
  void act_on_outside_calls(bool busy) { outside_host_.act(busy); }
  void cancel_outside_calls() { outside_host_.cancel(); }
  void poll(uint64_t now_ns) {
    core_.poll(now_ns, true);
    for (const auto& message : std::exchange(own_, {})) outside_.take(self_, message);
    outside_.poll(clock_.advance(now_ns));
  }
  [[nodiscard]] const group::RequestCounters& requests() const {
    return core_.requests().counters();
  }
  [[nodiscard]] group::GroupLayer& layer() { return core_; }
  [[nodiscard]] group::OutsideCalls& outside() { return outside_; }
  [[nodiscard]] GroupStanding standing(uint32_t life) const;

 private:
  class Application;

  bool say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) override;
  group::Result publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos) override;
  group::Result request(std::span<const uint8_t> envelope, std::span<const uint8_t> message,
                        uint32_t group, wire::Qos qos) override;
  group::Result answer(std::span<const uint8_t> envelope, const group::Content& message,
                       uint32_t group) override;
  bool subscribe(uint32_t) override { return true; }
  [[nodiscard]] group::Result publish(std::span<const uint8_t> bytes, uint32_t group, wire::Qos qos,
                                      wire::Kind kind);
  void unsubscribe(uint32_t) override {}
  [[nodiscard]] uint64_t published() const override { return 0; }
  [[nodiscard]] uint64_t stable() const override { return 0; }
  [[nodiscard]] uint64_t operational() const override { return world_.operational(life_); }

  GroupWorld& world_;
  uint32_t life_;
  base::SplitMix64 random_;
  base::SplitMix64 lock_random_;  // of its own, so that seeds without locks stay what they are
  std::vector<std::unique_ptr<Application>> applications_;  // by name
  const wire::StreamName self_;
  const GroupScenario groups_;
  group::GroupLayer core_;
  base::UptimeClock clock_{group::kMostLivedAtOnceNs};
  group::OutsideCalls outside_;
  CallHost calls_;
  CallHost outside_host_;
  std::vector<std::vector<uint8_t>> own_;  // said to itself, for the next poll
};

}  // namespace lambdacast::sim
