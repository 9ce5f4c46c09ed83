// Every recoverable message ends, and what is said of those lost and of receivers cut off is true.
#include <algorithm>

#include "sim/checkers.h"
#include "sim/log_index.h"
#include "sim/violations.h"

namespace lambdacast::sim {

namespace {

using reliability::LossReason;
using What = reliability::ReceiverEvent::What;

// Clocks differ by less than a thousandth in rate; a time claimed to have passed must have.
bool passed(uint64_t ns, uint64_t claimed_ns) { return ns + claimed_ns / 1000 >= claimed_ns; }

class Ended {
 public:
  Ended(const Scenario& scenario, const Log& log)
      : log_(log), index_(scenario, log), list_("Ended") {}

  Violations run() {
    for (const Membership& each : log_.memberships) {
      if (each.receiver == kNobody)
        list_.add(index_.name(each.sender) + " decides about a life that never was");
    }
    for (const PairLog& pair : index_.pairs()) {
      for (const uint32_t i : pair.memberships) check_membership(pair, i);
      check_welcome(pair);
      check_pair(pair);
    }
    return list_.take();
  }

 private:
  void check_membership(const PairLog& pair, uint32_t number) {
    const Membership& membership = log_.memberships[number];
    const reliability::RepairConfig& repair = index_.node(pair.sender).repair;
    const std::string what =
        index_.name(pair) + " at " + std::to_string(membership.at_ns) + " ns: ";
    if (membership.what == What::kEvictedSilent &&
        !passed(membership.silent_ns, repair.suspect_after_ns)) {
      list_.add(what + "cut off for silence after " + std::to_string(membership.silent_ns) + " ns");
    }
    if (membership.what == What::kEvictedLag) {
      const Publication* lacks = index_.at(pair.sender, membership.position + 1);
      if (repair.slow_receiver != reliability::SlowReceiver::kEvict || lacks == nullptr ||
          !passed(membership.at_ns - lacks->sent_ns, repair.evict_lag_ns) ||
          !passed(membership.at_ns - admitted_ns(pair, number), repair.evict_lag_ns)) {
        list_.add(what + "cut off for a lag that it did not have");
      }
    }
    if (membership.what == What::kLeft && log_.lives[pair.receiver].left_ns > membership.at_ns)
      list_.add(what + "seen off, and had not left");
    if (membership.what != What::kLeft && membership.told_to_end)
      list_.add(what + "decided about, and had left in order");
    if (membership.what == What::kJoined) check_opening(pair, membership, what);
  }

  // The last time before that decision, which may have been at the same time.
  [[nodiscard]] uint64_t admitted_ns(const PairLog& pair, uint32_t number) const {
    uint64_t admitted_ns = 0;
    for (const uint32_t i : pair.memberships) {
      const Membership& membership = log_.memberships[i];
      if (i < number && membership.what == What::kJoined) admitted_ns = membership.at_ns;
    }
    return admitted_ns;
  }

  // The late-join policy.
  void check_opening(const PairLog& pair, const Membership& joined, const std::string& what) {
    const reliability::RepairConfig& repair = index_.node(pair.sender).repair;
    const uint64_t first = log_.lives[pair.sender].first_rel_seq + 1;
    const uint64_t next = joined.last_sent + 1;
    if (joined.position < first || joined.position > next)
      list_.add(what + "admitted at a position that is not there");
    if (repair.late_join == reliability::LateJoin::kNow) {
      if (joined.position != next) list_.add(what + "admitted, but not at the next position");
      return;
    }
    // All that was sent is still there if it is little and fresh.
    const Publication* oldest = index_.at(pair.sender, first);
    const bool fresh = oldest != nullptr && joined.at_ns - oldest->sent_ns < repair.retain_ns / 2;
    const bool little = next - first <= repair.transmit_window_pkts / 2 &&
                        (next - first) * 4500 < repair.transmit_window_bytes;
    if (fresh && little && joined.position != first)
      list_.add(what + "admitted behind what is retained");
  }

  void check_welcome(const PairLog& pair) {
    if (!pair.welcomed) return;
    const bool meant =
        std::any_of(pair.memberships.begin(), pair.memberships.end(), [&](uint32_t i) {
          const Membership& membership = log_.memberships[i];
          return membership.what == What::kJoined && membership.position == pair.open_at;
        });
    if (!meant) {
      list_.add(index_.name(pair) + ": welcomed at " + std::to_string(pair.open_at) +
                ", where it was not admitted");
    }
  }

  void check_pair(const PairLog& pair) {
    const uint64_t before = log_.lives[pair.sender].first_rel_seq;
    const uint64_t count = index_.positions(pair.sender);
    enum State : uint8_t { kOpen, kDelivered, kLost };
    std::vector<State> states(count + 1, kOpen);
    const auto decide = [&](uint64_t position, State state) {
      const auto what = [&] { return index_.name(pair) + ": rel_seq " + std::to_string(position); };
      if (position <= before || position - before > count) {
        list_.add(what() + " was never sent");
        return;
      }
      if (!pair.welcomed || position < pair.open_at)
        list_.add(what() + " comes before its welcome");
      State& now = states[position - before];
      if (now != kOpen) list_.add(what() + " ends twice");
      now = state;
    };
    for (const uint32_t i : pair.told) {
      const Told& told = log_.told[i];
      if (!told.is_gap) {
        if (told.qos != wire::Qos::kUnreliable) decide(told.rel_seq, kDelivered);
        continue;
      }
      check_cause(pair, told);
      for (uint64_t at = 0; at < std::min<uint64_t>(told.count, count + 1); ++at)
        decide(told.first + at, kLost);
    }
    if (!pair.welcomed) return;
    const uint64_t end = must_end(pair);
    for (uint64_t at = std::max(pair.open_at, before + 1); at <= end && at - before <= count;
         ++at) {
      if (states[at - before] != kOpen) continue;
      if (index_.subscribed(pair.receiver, index_.at(pair.sender, at)->group))
        list_.add(index_.name(pair) + ": rel_seq " + std::to_string(at) + " never ended");
    }
  }

  // Up to here every position has to have ended.
  [[nodiscard]] uint64_t must_end(const PairLog& pair) const {
    if (!index_.alive(pair.receiver)) return 0;
    if (index_.alive(pair.sender))
      return log_.lives[pair.sender].first_rel_seq + index_.positions(pair.sender);
    // It knows of being cut off, whatever its sender decided after that and died before telling.
    const Heard& heard = log_.heard[pair.receiver][pair.sender];
    return pair.cut_off || heard.cut_off ? 0 : heard.highest;
  }

  void check_cause(const PairLog& pair, const Told& told) {
    const reliability::RepairConfig& sending = index_.node(pair.sender).repair;
    const reliability::RepairConfig& receiving = index_.node(pair.receiver).repair;
    const Publication* last = index_.at(pair.sender, told.first + told.count - 1);
    const uint64_t age_ns = last == nullptr ? 0 : told.at_ns - last->sent_ns;
    bool holds = false;
    switch (told.reason) {
      case LossReason::kEvicted:
        holds = evicted_before(pair, told.at_ns);
        break;
      case LossReason::kSenderGone:
        holds = told.restarted || passed(told.silent_ns, receiving.suspect_after_ns);
        break;
      case LossReason::kOutsideRetention:
        holds = passed(age_ns, sending.retain_ns);
        break;
      case LossReason::kDeadline:
        holds = passed(age_ns, receiving.repair_deadline_ns);
        break;
      case LossReason::kNone:
      case LossReason::kCount:
        break;
    }
    if (holds) return;
    list_.add(index_.name(pair) + " at " + std::to_string(told.at_ns) + " ns: rel_seq " +
              std::to_string(told.first) + " + " + std::to_string(told.count) +
              " declared lost for no true reason: " + reliability::name(told.reason));
  }

  [[nodiscard]] bool evicted_before(const PairLog& pair, uint64_t at_ns) const {
    return std::any_of(pair.memberships.begin(), pair.memberships.end(), [&](uint32_t i) {
      return log_.memberships[i].what != What::kJoined && log_.memberships[i].at_ns <= at_ns;
    });
  }

  const Log& log_;
  const LogIndex index_;
  ViolationList list_;
};

}  // namespace

Violations check_ended(const Scenario& scenario, const Log& log) {
  return Ended(scenario, log).run();
}

}  // namespace lambdacast::sim
