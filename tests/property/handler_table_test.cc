// SPDX-License-Identifier: BSD-3-Clause
// Random requests, releases, leaves and views against a naive model of the locks: a map of queues.
#include "group/handler_table.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "base/random.h"

namespace lambdacast::group {
namespace {

using What = LockChange::What;
using Key = std::pair<uint32_t, uint32_t>;  // group, handler

struct Model {
  struct Lock {
    int holder = -1;
    GrantPlace token;
    std::deque<int> queue;
  };
  std::map<Key, Lock> locks;

  LockChange acquire(const Key& key, bool only_if_free, int rank, GrantPlace at, bool suspended) {
    const bool known = locks.contains(key);
    if (known && locks[key].holder == rank)
      return {What::kGranted, uint8_t(rank), key.second, locks[key].token};
    const bool free = !known && !suspended;
    if (only_if_free && !free) {
      if (!known) return {What::kRefused, kGone, key.second, {}};
      return {What::kRefused, uint8_t(locks[key].holder), key.second, locks[key].token};
    }
    Lock& lock = locks[key];
    if (free) {
      lock = {rank, at, {}};
      return {What::kGranted, uint8_t(rank), key.second, at};
    }
    if (std::ranges::find(lock.queue, rank) == lock.queue.end()) lock.queue.push_back(rank);
    return {What::kQueued, uint8_t(lock.holder), key.second, lock.token};
  }
  // What to tell of a lock that has lost its holder, or whose group goes on.
  void pass_on(const Key& key, GrantPlace at, bool suspended, bool lost,
               std::vector<LockChange>& told) {
    Lock& lock = locks[key];
    if (!lock.queue.empty() && !suspended) {
      lock.holder = lock.queue.front();
      lock.queue.pop_front();
      lock.token = at;
      told.push_back({What::kMoved, uint8_t(lock.holder), key.second, at});
    } else {
      if (lost) told.push_back({What::kFreed, kGone, key.second, lock.token});
      lock.holder = -1;
      if (lock.queue.empty()) locks.erase(key);
    }
  }
  void forget(Lock& lock, int rank) {
    std::erase(lock.queue, rank);
    if (lock.holder == rank) lock.holder = -2;  // lost just now
  }
  std::vector<LockChange> settle(uint32_t group, GrantPlace at, bool suspended) {
    std::vector<LockChange> told;
    std::vector<Key> all;
    for (const auto& [key, lock] : locks) all.push_back(key);
    for (const Key& key : all) {
      if (key.first != group || locks[key].holder >= 0) continue;
      pass_on(key, at, suspended, locks[key].holder == -2, told);
    }
    return told;
  }
};

class Histories : public ::testing::Test {
 protected:
  void check() {
    ASSERT_EQ(table_.size(), model_.locks.size());
    table_.for_each([&](const Lock& lock) {
      ASSERT_TRUE(model_.locks.contains({lock.group, lock.handler}));
      const Model::Lock& known = model_.locks[{lock.group, lock.handler}];
      EXPECT_EQ(lock.held() ? int(lock.holder) : -1, known.holder);
      EXPECT_TRUE(std::ranges::equal(lock.waiting(), known.queue));
      if (lock.held()) {
        EXPECT_EQ(lock.token, known.token);
      }
    });
  }
  void settle(uint32_t group, GrantPlace at) {
    std::vector<LockChange> told;
    table_.settle(group, at, suspended_[group], told);
    EXPECT_EQ(told, model_.settle(group, at, suspended_[group]));
  }
  [[nodiscard]] Key any() { return {uint32_t(random_.below(3)), uint32_t(random_.below(4))}; }
  [[nodiscard]] int rank() { return int(random_.below(ranks_)); }

  void act() {
    const GrantPlace at{epoch_, ++place_};
    const Key key = any();
    const int speaker = rank();
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2: {
        const bool only = random_.below(4) == 0;
        EXPECT_EQ(table_.acquire(key.first, {key.second, only, {}, {}}, size_t(speaker), at,
                                 suspended_[key.first]),
                  model_.acquire(key, only, speaker, at, suspended_[key.first]));
        break;
      }
      case 3:
      case 4:
        release(key, speaker);
        break;
      case 5:
        table_.leave(key.first, NodeSet::of(size_t(speaker)));
        for (auto& [lock, state] : model_.locks) {
          if (lock.first == key.first) model_.forget(state, speaker);
        }
        break;
      case 6:
        suspended_[key.first] = random_.below(3) == 0;
        break;
      default:
        if (random_.below(6) == 0) return view();
    }
    settle(key.first, at);
  }
  void release(const Key& key, int speaker) {
    GrantPlace token;
    const int heir = random_.below(3) == 0 ? rank() : -1;
    const bool known = model_.locks.contains(key);
    if (known && random_.below(4) != 0) {
      token = model_.locks[key].token;
      if (random_.below(4) != 0 && model_.locks[key].holder >= 0)
        speaker = model_.locks[key].holder;
    } else if (random_.below(2) == 0) {
      token = {epoch_, place_ + 1};
    }
    bool expected = false;
    if (known) {
      Model::Lock& lock = model_.locks[key];
      if (token == GrantPlace{}) {
        expected = std::erase(lock.queue, speaker) != 0;
      } else if (lock.holder == speaker && lock.token == token) {
        expected = true;
        lock.holder = -2;
        std::erase(lock.queue, heir);
        if (heir >= 0) lock.queue.push_front(heir);
      }
    }
    EXPECT_EQ(table_.release(key.first, {key.second, false, token, {}}, size_t(speaker),
                             heir < 0 ? kGone : size_t(heir)),
              expected);
  }
  // Some ranks depart, the others move up, and new ones come behind them.
  void view() {
    std::array<uint8_t, wire::kMaxMembers> now;
    uint8_t stay = 0;
    for (size_t i = 0; i < ranks_; ++i) now[i] = random_.below(3) == 0 ? kGone : stay++;
    table_.move(std::span(now).first(ranks_));
    for (auto& [key, lock] : model_.locks) {
      std::deque<int> queue;
      for (const int each : lock.queue) {
        if (now[size_t(each)] != kGone) queue.push_back(now[size_t(each)]);
      }
      lock.queue = queue;
      if (lock.holder >= 0)
        lock.holder = now[size_t(lock.holder)] == kGone ? -2 : int(now[size_t(lock.holder)]);
    }
    ranks_ = std::clamp<size_t>(stay + random_.below(4), 1, wire::kMaxMembers);
    ++epoch_;
    place_ = 0;
    for (uint32_t group = 0; group < 3; ++group) settle(group, {epoch_, 0});
    if (random_.below(4) == 0) newcomer();
  }
  // Goes on with what a newcomer is told.
  void newcomer() {
    std::vector<uint8_t> saved;
    table_.for_each([&](const Lock& lock) { HandlerTable::save(lock, saved); });
    table_.clear();
    std::span<const uint8_t> in = saved;
    while (!in.empty()) ASSERT_TRUE(table_.load(in, ranks_));
  }

  HandlerTable table_{4};
  Model model_;
  base::SplitMix64 random_{0};
  size_t ranks_ = 5;
  uint64_t epoch_ = 1;
  uint64_t place_ = 0;
  std::map<uint32_t, bool> suspended_;
};

TEST_F(Histories, random_events__expect_the_locks_of_the_naive_model) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    table_.clear();
    model_ = {};
    suspended_.clear();
    random_ = base::SplitMix64(seed);
    ranks_ = 1 + random_.below(seed % 10 == 0 ? wire::kMaxMembers : 8);
    for (int i = 0; i < 400; ++i) {
      act();
      check();
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace lambdacast::group
