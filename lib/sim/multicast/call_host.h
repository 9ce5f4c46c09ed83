// SPDX-License-Identifier: BSD-3-Clause
// The application of a simulated life that calls groups and answers the calls of others, at random.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "group/group_layer.h"
#include "group/outside_calls.h"
#include "sim/multicast/log.h"

namespace lambdacast::sim {

// The part of the simulation that calls need.
class CallWorld {
 public:
  virtual ~CallWorld() = default;
  virtual void told_of_call(CallTold told) = 0;
  [[nodiscard]] virtual uint32_t life_called(const wire::StreamName& name) const = 0;
};

// The bytes with which a life answers a call: no other life, and no other call, has the same.
[[nodiscard]] uint64_t answer_to(uint32_t caller, uint64_t number, uint32_t from);

class CallHost final : public group::CallHandler {
 public:
  // `outside`: its calls go by that. Null: they go by the group layer.
  CallHost(CallWorld& world, group::GroupLayer& core, group::OutsideCalls* outside, uint32_t life,
           uint64_t seed)
      : world_(world), core_(core), outside_(outside), life_(life), random_(seed) {}

  // Calls a group at random if `busy`, and answers some of what waits.
  void act(bool busy);
  // Its calls from outside the view that are under way are nobody's any more.
  void cancel();
  // A request to the group of that name (kGroupNames).
  void requested(uint32_t name, const group::Request& request, std::span<const uint8_t> message);

 private:
  struct Waiting {
    uint64_t ticket = 0;
    uint32_t name = 0;
    uint32_t caller = 0;
    uint64_t number = 0;
  };

  void call();
  [[nodiscard]] uint64_t next_number() const {
    return calls_ + 1 + (outside_ != nullptr ? kOutsideNumbers : 0);
  }
  // False: there is no room now.
  [[nodiscard]] bool answer(const Waiting& waiting);
  void keep(const Waiting& waiting);
  void answered(uint64_t token, const wire::StreamName& from,
                std::span<const uint8_t> bytes) override;
  void ended(uint64_t token, const group::Outcome& outcome) override;
  [[nodiscard]] CallTold entry(CallTold::What what, uint32_t caller, uint64_t number) const;

  CallWorld& world_;
  group::GroupLayer& core_;
  group::OutsideCalls* const outside_;
  uint32_t life_;
  base::SplitMix64 random_;
  uint64_t calls_ = 0;
  std::vector<Waiting> waiting_;
};

}  // namespace lambdacast::sim
