// SPDX-License-Identifier: BSD-3-Clause
// A sender that evicts waits for nobody longer than it is configured to.
#include <algorithm>
#include <unordered_map>

#include "sim/check/checkers.h"
#include "sim/check/log_index.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

using What = reliability::ReceiverEvent::What;

// A time in which a receiver was admitted.
struct Stay {
  uint64_t first = 0;  // the position it begins with
  uint64_t begin_ns = 0;
  uint64_t end_ns = kNever;
};

class Slow {
 public:
  Slow(const Scenario& scenario, const Log& log)
      : scenario_(scenario), log_(log), index_(scenario, log), list_("Slow") {}

  Violations run() {
    for (const PairLog& pair : index_.pairs()) {
      if (judgeable(pair)) check_pair(pair);
    }
    return list_.take();
  }

 private:
  // A sender that always ran and heard, and a receiver that hands on what it has. Time in which the
  // sender heard nobody, for want of room behind its reliability stage, does not count.
  [[nodiscard]] bool judgeable(const PairLog& pair) const {
    const NodeScenario& sender = index_.node(pair.sender);
    const size_t node = log_.lives[pair.sender].node;
    const bool paused =
        std::any_of(scenario_.actions.begin(), scenario_.actions.end(), [&](const Action& action) {
          return action.node == node && action.what == Action::What::kPause;
        });
    return sender.repair.slow_receiver == reliability::SlowReceiver::kEvict && !paused &&
           log_.lives[pair.sender].deaf == 0 &&
           index_.node(pair.receiver).poll_most >= NodeScenario{}.poll_most;
  }

  [[nodiscard]] std::vector<Stay> stays_of(const PairLog& pair) const {
    std::vector<Stay> stays;
    for (const uint32_t i : pair.memberships) {
      const Membership& membership = log_.memberships[i];
      if (membership.what == What::kJoined) {
        stays.push_back({membership.position, membership.at_ns});
      } else if (!stays.empty()) {
        stays.back().end_ns = std::min(stays.back().end_ns, membership.at_ns);
      }
    }
    return stays;
  }

  // Between the stages of a receiver in wild surroundings a message may wait that it has said it
  // has: its application has it when the lcore goes on.
  [[nodiscard]] bool taken_in(const PairLog& pair, uint64_t position, uint64_t by_ns) const {
    if (!log_.lives[pair.receiver].wild) return false;
    return std::any_of(log_.arrivals.begin(), log_.arrivals.end(), [&](const Arrival& arrival) {
      const SentFrame& frame = log_.frames[arrival.frame];
      return arrival.receiver == pair.receiver && frame.life == pair.sender &&
             frame.rel_seq == position && arrival.at_ns <= by_ns &&
             arrival.outcome == counters::DropReason::kNone;
    });
  }

  void check_pair(const PairLog& pair) {
    std::unordered_map<uint64_t, uint64_t> ended_ns;  // by position
    for (const uint32_t i : pair.told) {
      const Told& told = log_.told[i];
      const uint64_t count = told.is_gap() ? std::min<uint64_t>(told.count, 10'000) : 1;
      const uint64_t first = told.is_gap() ? told.first : told.rel_seq;
      if (told.is_message() && told.qos == wire::Qos::kUnreliable) continue;
      for (uint64_t at = first; at < first + count; ++at) {
        ended_ns.emplace(at, told.at_ns);
        // A message of several packets ends with one that is lost, or that completes it.
        if (const Publication* whole = index_.covering(pair.sender, at))
          ended_ns.emplace(whole->rel_seq, told.at_ns);
      }
    }
    const reliability::ReliabilityConfig& repair = index_.node(pair.sender).repair;
    const uint64_t patience_ns = repair.evict_lag_ns + repair.evict_lag_ns / 1000 +
                                 repair.heartbeat_max_ns + index_.node(pair.sender).poll_every_ns +
                                 index_.node(pair.sender).wild.most_delay_ns;
    const uint64_t died_ns = std::min(log_.lives[pair.sender].died_ns, scenario_.end_ns);
    const uint64_t before = log_.lives[pair.sender].first_rel_seq;
    for (const Stay& stay : stays_of(pair)) {
      for (uint64_t at = stay.first; at - before <= index_.positions(pair.sender); ++at) {
        const Publication* publication = index_.at(pair.sender, at);
        if (publication == nullptr || publication->first_rel_seq < stay.first ||
            !index_.subscribed(pair.receiver, publication->group)) {
          continue;
        }
        const uint64_t until_ns = std::max(stay.begin_ns, publication->sent_ns) + patience_ns;
        if (until_ns >= std::min(stay.end_ns, died_ns)) break;
        if (publication->sent_ns + repair.retain_ns * 999 / 1000 <= until_ns) continue;  // expired
        const auto ended = ended_ns.find(at);
        if (ended != ended_ns.end() && ended->second <= until_ns) continue;
        if (taken_in(pair, at, until_ns)) continue;
        list_.add(index_.name(pair) + ": lacked rel_seq " + std::to_string(at) + " at " +
                  std::to_string(until_ns) + " ns, and was not cut off");
        return;
      }
    }
  }

  const Scenario& scenario_;
  const Log& log_;
  const LogIndex index_;
  ViolationList list_;
};

}  // namespace

Violations check_slow(const Scenario& scenario, const Log& log) {
  return Slow(scenario, log).run();
}

}  // namespace lambdacast::sim
