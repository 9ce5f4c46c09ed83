// SPDX-License-Identifier: BSD-3-Clause
// Writes down what is said and told of locks, and is the registers that they guard: one a lock,
// outside the order, which any life may write to at any moment.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "sim/multicast/log.h"
#include "wire/control/control.h"

namespace lambdacast::sim {

class LockRecorder {
 public:
  explicit LockRecorder(Log& log) : log_(log) {}

  // A message of the group layer, by its bytes (doc/protocol.md, R16.4).
  template <typename LifeCalled>
  void said(uint32_t life, uint32_t publication, uint32_t group, std::span<const uint8_t> bytes,
            LifeCalled&& life_called) {
    constexpr uint8_t kJoin = 2, kLeave = 3, kAcquire = 8, kRelease = 9;
    if (!bytes.empty() && bytes[0] == kJoin) ++joins_[{life, group}];
    if (bytes.empty() || (bytes[0] != kLeave && bytes[0] != kAcquire && bytes[0] != kRelease))
      return;
    LockSaid entry;
    entry.life = life;
    entry.publication = publication;
    entry.membership = joins_[{life, group}];
    entry.lock.group = group;
    entry.what = bytes[0] == kLeave ? LockSaid::What::kLeave : LockSaid::What::kAcquire;
    entry.only_if_free = bytes[1] == 1;
    if (bytes[0] != kLeave) entry.lock.handler = base::load_be32(&bytes[8]);
    if (bytes[0] == kRelease) {
      entry.epoch = base::load_be64(&bytes[16]);
      entry.place = base::load_be64(&bytes[24]);
      const wire::StreamName heir = wire::load_stream_name(&bytes[32]);
      if (heir != wire::StreamName{}) entry.heir = life_called(heir);
      const bool withdraws = entry.epoch == 0 && entry.place == 0;
      entry.what = withdraws ? LockSaid::What::kWithdraw : LockSaid::What::kRelease;
    }
    log_.locks_said.push_back(entry);
  }

  void told(const GroupTold& told) {
    if (told.what == GroupTold::What::kEnded) {
      for (auto& [lock, lives] : believers_) {
        if (lock.group == told.number) lives.erase(told.life);
      }
    }
    if (told.what != GroupTold::What::kLock || told.lock == GroupTold::Lock::kQueued ||
        told.lock == GroupTold::Lock::kRefused) {
      return;
    }
    std::set<uint32_t>& lives = believers_[{told.number, told.handler}];
    lives.erase(told.life);
    if (told.holder == told.life) lives.insert(told.life);
  }

  bool write(uint32_t life, uint64_t now_ns, const LockName& lock, const LockGrant& grant) {
    LockGrant& newest = registers_[{lock, grant.lineage}];
    RegisterWrite entry{life, now_ns, lock, grant, grant >= newest, 0};
    newest = std::max(newest, grant);
    for (const uint32_t each : believers_[lock])
      entry.believers += log_.lives[each].died_ns == kNever ? 1 : 0;
    log_.register_writes.push_back(entry);
    return entry.taken;
  }

 private:
  Log& log_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> joins_;  // said, by life and group
  std::map<LockName, std::set<uint32_t>> believers_;
  std::map<std::pair<LockName, uint32_t>, LockGrant> registers_;  // by lock and lineage
};

}  // namespace lambdacast::sim
