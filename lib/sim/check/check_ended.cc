// SPDX-License-Identifier: BSD-3-Clause
// Every recoverable message ends, and what is said of those lost and of receivers cut off is true.
#include <algorithm>
#include <map>
#include <set>

#include "sim/check/checkers.h"
#include "sim/check/log_index.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

using reliability::LossReason;
using What = reliability::ReceiverEvent::What;

// Clocks differ by less than a thousandth in rate; a time claimed to have passed must have.
bool passed(uint64_t ns, uint64_t claimed_ns) { return ns + claimed_ns / 1000 >= claimed_ns; }

class Ended {
 public:
  Ended(const Scenario& scenario, const Log& log, bool stands)
      : log_(log), stands_(stands), index_(scenario, log), list_("Ended") {
    for (uint32_t i = 0; i < log.told.size(); ++i) {
      if (log.told[i].what == Told::What::kView)
        views_[log.told[i].receiver].push_back(&log.views[log.told[i].view]);
      if (log.told[i].what == Told::What::kExcluded) out_.insert(log.told[i].receiver);
    }
  }

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
    const reliability::ReliabilityConfig& repair = index_.node(pair.sender).repair;
    const std::string what =
        index_.name(pair) + " at " + std::to_string(membership.at_ns) + " ns: ";
    if (membership.what == What::kEvictedSilent &&
        !passed(membership.silent_ns, repair.suspect_after_ns) &&
        !excluded(pair.sender, pair.receiver, membership.at_ns)) {
      list_.add(what + "cut off for silence after " + std::to_string(membership.silent_ns) + " ns");
    }
    if (membership.what == What::kEvictedLag) {
      const uint64_t sent_ns = index_.sent_ns(pair.sender, membership.position + 1);
      if (repair.slow_receiver != reliability::SlowReceiver::kEvict || sent_ns == kNever ||
          !passed(membership.at_ns - sent_ns, repair.evict_lag_ns) ||
          !passed(membership.at_ns - admitted_ns(pair, number), repair.evict_lag_ns)) {
        list_.add(what + "cut off for a lag that it did not have");
      }
    }
    if (membership.what == What::kLeft && log_.lives[pair.receiver].left_ns > membership.at_ns)
      list_.add(what + "seen off, and had not left");
    if (membership.what != What::kLeft && membership.told_to_end &&
        !excluded(pair.sender, pair.receiver, membership.at_ns))
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

  // One that was on trial has heard the stream since, and goes on where it is.
  [[nodiscard]] bool was_on_trial(const PairLog& pair, const Membership& joined) const {
    const Membership* before = nullptr;
    for (const uint32_t i : pair.memberships) {
      const Membership& membership = log_.memberships[i];
      if (&membership == &joined) break;
      before = &membership;
    }
    return before != nullptr && before->what == What::kOnTrial;
  }

  // The late-join policy.
  void check_opening(const PairLog& pair, const Membership& joined, const std::string& what) {
    const reliability::ReliabilityConfig& repair = index_.node(pair.sender).repair;
    const uint64_t first = log_.lives[pair.sender].first_rel_seq + 1;
    // What a port has not taken yet has its number, and comes before whoever is admitted now.
    const PortCounts& port = log_.lives[pair.sender].port;
    const bool numbered_ahead = port.partial_bursts + port.refusals != 0;
    const uint64_t most_ahead = numbered_ahead ? node::kMaxBurst : 0;
    const uint64_t next =
        std::clamp(joined.position, joined.last_sent + 1, joined.last_sent + 1 + most_ahead);
    if (joined.position < first || joined.position > next)
      list_.add(what + "admitted at a position that is not there");
    if (was_on_trial(pair, joined)) return;
    // By a view: everybody in it holds the stream up to the cut, and begins behind it.
    if (views_with(pair.sender, pair.receiver, joined.at_ns)) return;
    if (repair.late_join == reliability::LateJoin::kNow) {
      if (joined.position != next) list_.add(what + "admitted, but not at the next position");
      return;
    }
    // All that was sent is still there if it is little and fresh.
    const Publication* oldest = index_.at(pair.sender, first);
    const bool fresh = oldest != nullptr && joined.at_ns - oldest->sent_ns < repair.retain_ns / 2;
    const uint64_t most = joined.last_sent + 1 + most_ahead - first;
    const bool little =
        most <= repair.transmit_window_pkts / 2 && most * 4500 < repair.transmit_window_bytes;
    if (fresh && little && joined.position != first)
      list_.add(what + "admitted behind what is retained");
  }

  void check_welcome(const PairLog& pair) {
    if (!pair.welcomed) return;
    const bool meant =
        std::any_of(pair.memberships.begin(), pair.memberships.end(), [&](uint32_t i) {
          const Membership& membership = log_.memberships[i];
          const bool admitted =
              membership.what == What::kJoined || membership.what == What::kOnTrial;
          return admitted && membership.position == pair.open_at;
        });
    if (!meant) {
      list_.add(index_.name(pair) + ": welcomed at " + std::to_string(pair.open_at) +
                ", where it was not admitted");
    }
  }

  void check_pair(const PairLog& pair) {
    const uint64_t before = log_.lives[pair.sender].first_rel_seq;
    const uint64_t count = index_.positions(pair.sender);
    states_.assign(count + 1, kOpen);
    const auto decide = [&](uint64_t position, State state) {
      const auto what = [&] { return index_.name(pair) + ": rel_seq " + std::to_string(position); };
      if (position <= before || position - before > count) {
        list_.add(what() + " was never sent");
        return;
      }
      if (!pair.welcomed || position < pair.open_at)
        list_.add(what() + " comes before its welcome");
      State& now = states_[position - before];
      if (now != kOpen) list_.add(what() + " ends twice");
      now = state;
    };
    for (const uint32_t i : pair.told) {
      const Told& told = log_.told[i];
      if (told.is_message()) {
        if (told.qos == wire::Qos::kUnreliable || told.place != 0) continue;
        const Publication* whole = index_.covering(pair.sender, told.rel_seq);
        const bool parts = told.parts && whole != nullptr && !is_ordered(told.qos);
        const uint64_t last = parts ? whole->rel_seq : told.rel_seq;
        for (uint64_t at = parts ? whole->first_rel_seq : last; at <= last; ++at) {
          if (!parts || index_.covering(pair.sender, at) == whole) decide(at, kDelivered);
        }
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
      if (states_[at - before] != kOpen) continue;
      const Publication* publication = index_.at(pair.sender, at);
      if (publication == nullptr || is_ordered(publication->qos)) continue;
      // Each packet of a source ordered message that was begun before is a loss.
      const bool ordered = publication->qos == wire::Qos::kSourceOrdered;
      if (lost_part(pair, *publication, at) || (!ordered && begun_before(pair, *publication, at)))
        continue;
      if (stands_ && publication->qos == wire::Qos::kSourceOrdered) continue;
      if (index_.subscribed(pair.receiver, publication->group))
        list_.add(index_.name(pair) + ": rel_seq " + std::to_string(at) + " never ended");
    }
  }

  // Is that a later packet of a message whose first packet was sent before the receiver's part in
  // the stream began?
  [[nodiscard]] static bool begun_before(const PairLog& pair, const Publication& publication,
                                         uint64_t position) {
    return publication.first_rel_seq < pair.open_at && publication.first_rel_seq < position;
  }
  // Has a packet of it before that position been declared lost?
  [[nodiscard]] bool lost_part(const PairLog& pair, const Publication& publication,
                               uint64_t position) const {
    const uint64_t before = log_.lives[pair.sender].first_rel_seq;
    for (uint64_t at = publication.first_rel_seq; at < position; ++at) {
      if (states_[at - before] == kLost && index_.covering(pair.sender, at) == &publication)
        return true;
    }
    return false;
  }

  // Up to here every position has to have ended.
  [[nodiscard]] uint64_t must_end(const PairLog& pair) const {
    if (!index_.alive(pair.receiver)) return 0;
    const bool over = out_.contains(pair.sender) && gave_up(pair);
    if (index_.alive(pair.sender) && !over)
      return log_.lives[pair.sender].first_rel_seq + index_.positions(pair.sender);
    if (stands_) return 0;  // a member's stream ends with the view
    // An excluded life's stream ended with the view. What the receiver hears of it later and never
    // took is nobody's, unless it was admitted anew and took what came behind that. The same holds
    // of a life that is out and says nothing more, if the receiver has given its stream up.
    if (excluded(pair.receiver, pair.sender, kNever) || over) return last_ended(pair);
    // It knows of being cut off, whatever its sender decided after that and died before telling.
    const Heard& heard = log_.heard[pair.receiver][pair.sender];
    return pair.cut_off || heard.cut_off ? 0 : heard.highest;
  }

  [[nodiscard]] bool gave_up(const PairLog& pair) const {
    return std::ranges::any_of(pair.told, [&](uint32_t i) {
      return log_.told[i].is_gap() && log_.told[i].reason == LossReason::kSenderGone;
    });
  }

  [[nodiscard]] uint64_t last_ended(const PairLog& pair) const {
    uint64_t last = 0;
    for (const uint32_t i : pair.told) {
      const Told& told = log_.told[i];
      if (!told.is_message())
        last = std::max(last, told.first + told.count - 1);
      else if (told.qos != wire::Qos::kUnreliable)
        last = std::max(last, told.rel_seq);
    }
    return last;
  }

  void check_cause(const PairLog& pair, const Told& told) {
    const reliability::ReliabilityConfig& sending = index_.node(pair.sender).repair;
    const reliability::ReliabilityConfig& receiving = index_.node(pair.receiver).repair;
    // Also of marks, which are no publication.
    const uint64_t sent_ns = index_.sent_ns(pair.sender, told.first + told.count - 1);
    const uint64_t age_ns = told.at_ns - std::min(sent_ns, told.at_ns);
    bool holds = false;
    switch (told.reason) {
      case LossReason::kRefused:
      case LossReason::kEvicted:
        holds = evicted_before(pair, told.at_ns);
        break;
      case LossReason::kSenderGone:
        holds = (log_.membership && log_.lives[pair.sender].died_ns <= told.at_ns) ||
                told.restarted || passed(told.silent_ns, receiving.suspect_after_ns) ||
                excluded(pair.receiver, pair.sender, told.at_ns);
        break;
      case LossReason::kOutsideRetention:
        // What a view is without its sender retains nothing for; nor for whom it had cut off before
        // a view admitted it.
        holds = passed(age_ns, sending.retain_ns) ||
                excluded(pair.sender, pair.receiver, told.at_ns) ||
                (log_.membership && evicted_before(pair, told.at_ns)) ||
                readmitted_before(pair, told.at_ns);
        break;
      case LossReason::kDeadline:
        holds = passed(age_ns, receiving.repair_deadline_ns);
        break;
      case LossReason::kReassembly: {  // there is memory enough
        const Publication* whole = index_.covering(pair.sender, told.first);
        holds = told.count == 1 && whole != nullptr && !is_ordered(whole->qos) &&
                (begun_before(pair, *whole, told.first) || lost_part(pair, *whole, told.first));
        break;
      }
      case LossReason::kNone:
      case LossReason::kCount:
        break;
    }
    if (holds) return;
    list_.add(index_.name(pair) + " at " + std::to_string(told.at_ns) + " ns: rel_seq " +
              std::to_string(told.first) + " + " + std::to_string(told.count) +
              " declared lost for no true reason: " + reliability::name(told.reason));
  }

  // Does `by` install a view with `life` at that time?
  // The sending half may act upon a view some turns after the application was told of it.
  [[nodiscard]] bool views_with(uint32_t by, uint32_t life, uint64_t at_ns) const {
    const auto views = views_.find(by);
    if (views == views_.end()) return false;
    const uint64_t late_ns = turns_ns(index_.node(by));
    return std::any_of(views->second.begin(), views->second.end(), [&](const InstalledView* view) {
      const bool began = view->at_ns <= at_ns && at_ns - view->at_ns <= late_ns;
      return (began || decided(*view, at_ns)) && has(*view, life);
    });
  }

  // An application may hear of a view later than its node acts upon it; of that the log has when it
  // spoke in the view's ballot.
  [[nodiscard]] bool decided(const InstalledView& view, uint64_t at_ns) const {
    return view.at_ns > at_ns && index_.last_ballot(view.life, at_ns) >= view.epoch;
  }

  // Does `by` install a view without a member of the one before, by then, or as the next one?
  [[nodiscard]] bool excluded(uint32_t by, uint32_t life, uint64_t at_ns) const {
    const auto views = views_.find(by);
    if (views == views_.end()) return false;
    bool member = false;
    for (const InstalledView* view : views->second) {
      const bool stays = has(*view, life);
      if (member && !stays) return true;
      if (view->at_ns > at_ns && !decided(*view, at_ns)) return false;
      member = stays;
    }
    // In wild surroundings a life that leaves may have acted upon a view that it is not told of.
    if (log_.lives[by].wild && log_.lives[by].left_ns <= at_ns) return member;
    return !index_.alive(by) && left_out_unseen(*views->second.back(), member, life);
  }

  // Did the node go on to a view without the life before it died? Its application, whose last view
  // this is, was not told of that, and may have been several views behind its node.
  [[nodiscard]] bool left_out_unseen(const InstalledView& last, bool member, uint32_t life) const {
    const bool was = member || std::ranges::any_of(log_.views, [&](const InstalledView& next) {
                       return next.epoch > last.epoch && has(next, last.life) && has(next, life);
                     });
    return was && (chosen_without(last, life) || went_on_alone(last));
  }
  // By its own word it has begun a view that nobody else has ever been told of.
  [[nodiscard]] bool went_on_alone(const InstalledView& last) const {
    return std::ranges::any_of(log_.begun, [&](const BegunSaid& begun) {
      return begun.life == last.life && begun.epoch > last.epoch &&
             std::ranges::none_of(log_.views, [&](const InstalledView& view) {
               return view.epoch == begun.epoch && has(view, last.life);
             });
    });
  }

  // That view is the last one of somebody who acted upon the next, which was chosen, and did not
  // live to install it: another member did. When it was chosen no log tells.
  [[nodiscard]] bool chosen_without(const InstalledView& last, uint32_t life) const {
    return std::any_of(log_.views.begin(), log_.views.end(), [&](const InstalledView& next) {
      return next.epoch > last.epoch && has(next, last.life) && !has(next, life);
    });
  }
  static bool has(const InstalledView& view, uint32_t life) {
    return std::find(view.members.begin(), view.members.end(), life) != view.members.end();
  }

  // It was cut off by then, asked to join before it had heard so, and was admitted anew: if it does
  // not hear that welcome either, it finds packets gone that it was owed.
  [[nodiscard]] bool readmitted_before(const PairLog& pair, uint64_t at_ns) const {
    bool evicted = false;
    for (const uint32_t i : pair.memberships) {
      const Membership& membership = log_.memberships[i];
      if (membership.at_ns > at_ns) break;
      const bool heard = membership.what == What::kJoined || membership.what == What::kOnTrial;
      if (heard && evicted) return true;
      evicted = evicted || membership.what == What::kEvictedLag ||
                membership.what == What::kEvictedSilent;
    }
    return false;
  }
  [[nodiscard]] bool evicted_before(const PairLog& pair, uint64_t at_ns) const {
    return std::any_of(pair.memberships.begin(), pair.memberships.end(), [&](uint32_t i) {
      return log_.memberships[i].what != What::kJoined && log_.memberships[i].at_ns <= at_ns;
    });
  }

  enum State : uint8_t { kOpen, kDelivered, kLost };

  const Log& log_;
  const bool stands_;
  const LogIndex index_;
  std::map<uint32_t, std::vector<const InstalledView*>> views_;  // by life
  std::set<uint32_t> out_;  // lives that were told that they are out of their view
  ViolationList list_;
  std::vector<State> states_;  // of the positions of the pair in question
};

}  // namespace

Violations check_ended(const Scenario& scenario, const Log& log, bool stands) {
  return Ended(scenario, log, stands).run();
}

}  // namespace lambdacast::sim
