// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/lock_history.h"

#include <algorithm>

namespace lambdacast::sim {

LockHistory::LockHistory(const OrderLog& order)
    : order_(order), chain_of_(order.views().size(), kNobody) {
  for (const GroupTold& told : order.log().group_told) {
    if (told.what == GroupTold::What::kLock && told.lock == GroupTold::Lock::kMoved)
      told_.emplace(LockName{told.number, told.handler}, At{told.grant.epoch, told.grant.place},
                    told.holder);
  }
  for (const LockSaid& said : order.log().locks_said) {
    if (const auto place = order.place(said.publication))
      said_[place->view].push_back({*place, &said});
  }
  for (auto& [view, said] : said_)
    std::sort(said.begin(), said.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  for (uint32_t view = 0; view < order.views().size(); ++view) {
    if (order.views()[view].previous == kNobody) follow(view);
  }
}

void LockHistory::follow(uint32_t first) {
  State state;
  chains_.emplace_back();
  for (uint32_t number = first; number != kNobody; number = order_.views()[number].next) {
    if (chain_of_[number] != kNobody) return;
    chain_of_[number] = static_cast<uint32_t>(chains_.size() - 1);
    state.chain = &chains_.back();
    const View& view = order_.views()[number];
    state.epoch = view.epoch;
    begin(state, view);
    for (const auto& [place, said] : said_[number]) apply(state, view, *said, place.index + 1);
  }
}

// A life that has departed waits for nothing, and the locks that it held go on.
void LockHistory::begin(State& state, const View& view) {
  for (auto& [name, lock] : state.locks) {
    std::erase_if(lock.queue, [&](uint32_t life) { return !view.has(life); });
    if (lock.holder != kNobody && !view.has(lock.holder)) pass_on(state, name, lock, 0);
  }
}

void LockHistory::apply(State& state, const View& view, const LockSaid& said, uint64_t place) {
  if (said.what == LockSaid::What::kLeave) return leave(state, said, place);
  if (said.what == LockSaid::What::kAcquire) return acquire(state, said, place);
  const auto known = state.locks.find(said.lock);
  if (known == state.locks.end()) return;
  if (said.what == LockSaid::What::kRelease) return release(state, view, said, place);
  std::erase(known->second.queue, said.life);
}

void LockHistory::pass_on(State& state, const LockName& name, Lock& lock, uint64_t place) {
  Steps& steps = (*state.chain)[name];
  const bool by_view = place == 0;
  if (lock.queue.empty()) {
    lock.holder = kNobody;
    steps.push_back({GroupTold::Lock::kFreed, kNobody, lock.epoch, lock.place, by_view});
    return;
  }
  lock.holder = lock.queue.front();
  lock.queue.pop_front();
  lock.epoch = state.epoch;
  lock.place = place;
  steps.push_back({GroupTold::Lock::kMoved, lock.holder, lock.epoch, lock.place, by_view});
}

// Members with state alone ask. By its place the membership may be over.
void LockHistory::acquire(State& state, const LockSaid& said, uint64_t place) {
  if (said.membership <= state.left[{said.life, said.lock.group}]) return;
  Lock& lock = state.locks[said.lock];
  if (lock.holder == said.life) return;
  if (lock.holder == kNobody) {
    lock = {said.life, state.epoch, place, {}};
    (*state.chain)[said.lock].push_back(
        {GroupTold::Lock::kGranted, said.life, state.epoch, place, false});
    return;
  }
  const bool waits = std::find(lock.queue.begin(), lock.queue.end(), said.life) != lock.queue.end();
  if (!said.only_if_free && !waits) lock.queue.push_back(said.life);
}

// An heir has to be a member with state. One that has a lock of the group, or waits for one, is. Of
// another one the log does not say when it got its state: what was told decides, and has to be one
// history for all.
void LockHistory::release(State& state, const View& view, const LockSaid& said, uint64_t place) {
  Lock& lock = state.locks[said.lock];
  if (lock.holder != said.life || lock.epoch != said.epoch || lock.place != said.place) return;
  if (said.heir != kNobody && view.has(said.heir) &&
      (has_state(state, said.heir, said.lock.group) ||
       told_.contains({said.lock, {state.epoch, place}, said.heir}))) {
    std::erase(lock.queue, said.heir);
    lock.queue.push_front(said.heir);
  }
  pass_on(state, said.lock, lock, place);
}

bool LockHistory::has_state(const State& state, uint32_t life, uint32_t group) {
  return std::any_of(state.locks.begin(), state.locks.end(), [&](const auto& each) {
    const auto& [name, lock] = each;
    return name.group == group &&
           (lock.holder == life || std::ranges::count(lock.queue, life) != 0);
  });
}

void LockHistory::leave(State& state, const LockSaid& said, uint64_t place) {
  uint32_t& left = state.left[{said.life, said.lock.group}];
  left = std::max(left, said.membership);
  for (auto& [name, lock] : state.locks) {
    if (name.group != said.lock.group) continue;
    std::erase(lock.queue, said.life);
    if (lock.holder == said.life) pass_on(state, name, lock, place);
  }
}

}  // namespace lambdacast::sim
