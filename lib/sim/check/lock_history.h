// SPDX-License-Identifier: BSD-3-Clause
// Who had each lock of a group, one after the other, by the checkers' own model: from the messages
// about locks at their places in the order, and from the views of the nodes.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/check/order_log.h"
#include "sim/multicast/log.h"

namespace lambdacast::sim {

class LockHistory {
 public:
  // A change of a lock's holder. Of a lock that nobody has, the grant is the last one.
  struct Step {
    GroupTold::Lock what = GroupTold::Lock::kGranted;  // granted, moved or freed
    uint32_t holder = kNobody;
    uint64_t epoch = 0;
    uint64_t place = 0;
    bool by_view = false;
  };
  using Steps = std::vector<Step>;
  // Views that follow each other, from a first one on: places begin anew with the next such chain.
  using Chain = std::map<LockName, Steps>;

  explicit LockHistory(const OrderLog& order);

  [[nodiscard]] const std::vector<Chain>& chains() const { return chains_; }
  // The chain of a view; kNobody: there is none.
  [[nodiscard]] uint32_t chain_of(uint32_t view) const { return chain_of_[view]; }

 private:
  struct Lock {
    uint32_t holder = kNobody;
    uint64_t epoch = 0;
    uint64_t place = 0;
    std::deque<uint32_t> queue;
  };
  struct State {
    Chain* chain = nullptr;
    std::map<LockName, Lock> locks;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> left;  // by life and group: the last one left
    uint64_t epoch = 0;
  };
  using Said = std::vector<std::pair<Place, const LockSaid*>>;

  void follow(uint32_t first);
  void begin(State& state, const View& view);
  void apply(State& state, const View& view, const LockSaid& said, uint64_t place);
  void acquire(State& state, const LockSaid& said, uint64_t place);
  void release(State& state, const View& view, const LockSaid& said, uint64_t place);
  void leave(State& state, const LockSaid& said, uint64_t place);
  using At = std::pair<uint64_t, uint64_t>;  // epoch and place
  [[nodiscard]] static bool has_state(const State& state, uint32_t life, uint32_t group);
  static void pass_on(State& state, const LockName& name, Lock& lock, uint64_t place);

  const OrderLog& order_;
  std::map<uint32_t, Said> said_;  // by view, in the order of places
  // Grants that moved a lock, with its holder: two chains may have the same epoch and place, and a
  // life is in one of them.
  std::set<std::tuple<LockName, At, uint32_t>> told_;
  std::vector<Chain> chains_;
  std::vector<uint32_t> chain_of_;
};

}  // namespace lambdacast::sim
