// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/coverage.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lambdacast/call.h"

namespace lambdacast::sim {

namespace {

using counters::DropReason;
using reliability::LossReason;
using What = reliability::ReceiverEvent::What;

void add_told(Coverage& coverage, const Log& log, const Told& told) {
  if (told.what == Told::What::kExcluded) ++coverage.excluded;
  if (told.is_message()) {
    ++coverage.delivered;
    coverage.delivered_unreliable += told.qos == wire::Qos::kUnreliable ? 1 : 0;
    coverage.totally_ordered += told.qos == wire::Qos::kTotallyOrdered ? 1 : 0;
    coverage.k_resilient += told.qos == wire::Qos::kKResilient ? 1 : 0;
    coverage.majority += told.qos == wire::Qos::kMajority ? 1 : 0;
    coverage.long_messages += told.parts ? 1 : 0;
    coverage.totally_resilient += told.qos == wire::Qos::kTotallyResilient ? 1 : 0;
    if (told.publication < log.publications.size() &&
        log.publications[told.publication].transmissions > 1) {
      ++coverage.repaired;
    }
    return;
  }
  if (told.reason == LossReason::kOutsideRetention) coverage.lost_outside_retention += told.count;
  if (told.reason == LossReason::kSenderGone) coverage.lost_sender_gone += told.count;
  if (told.reason == LossReason::kDeadline) coverage.lost_deadline += told.count;
  if (told.reason == LossReason::kEvicted) coverage.lost_evicted += told.count;
  if (told.reason == LossReason::kReassembly) coverage.lost_in_reassembly += told.count;
}

// Views, and what is delivered ahead of one of a sender that is not in it, by a life that has
// spoken in its ballot: it applies no more of the view before but what it has recovered.
void add_views(Coverage& coverage, const Log& log) {
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> spoke_ns;  // by life and epoch
  for (const BallotSpeech& ballot : log.ballots)
    spoke_ns.emplace(std::pair{ballot.life, ballot.epoch}, ballot.at_ns);
  std::vector<const InstalledView*> next(log.lives.size());  // of each life
  std::vector<uint64_t> views(log.lives.size());
  for (size_t i = log.told.size(); i-- > 0;) {
    const Told& told = log.told[i];
    if (told.what == Told::What::kView) {
      next[told.receiver] = &log.views[told.view];
      ++views[told.receiver];
    }
    const InstalledView* view = next[told.receiver];
    if (view == nullptr || !told.is_ordered_message()) continue;
    const auto spoke = spoke_ns.find({told.receiver, view->epoch});
    if (spoke == spoke_ns.end() || told.at_ns <= spoke->second) continue;
    const auto& members = view->members;
    if (std::find(members.begin(), members.end(), told.sender) == members.end())
      ++coverage.recovered;
  }
  for (const uint64_t installed : views) {
    coverage.first_views += installed > 0 ? 1 : 0;
    coverage.view_changes += installed > 1 ? installed - 1 : 0;
  }
}

void add_rates(Coverage& coverage, const Log& log) {
  coverage.with_rates += log.rates ? 1 : 0;
  std::vector<uint64_t> bps(log.lives.size());
  for (const Allowance& each : log.allowances) {
    coverage.raises += each.bps > bps[each.life] ? 1 : 0;
    bps[each.life] = each.bps;
  }
}

// The last view of a life that crashed; null: it was in none, or did not crash.
const InstalledView* crashed_in(const Log& log, uint32_t number) {
  if (number == kNobody) return nullptr;
  const Life& life = log.lives[number];
  if (life.died_ns == kNever || life.left_ns != kNever) return nullptr;
  const InstalledView* last = nullptr;
  for (const InstalledView& view : log.views) last = view.life == number ? &view : last;
  return last == nullptr || last->members.empty() ? nullptr : last;
}

// Did the life die when the next pass of its view was its own to make, and the site behind it in
// the same view?
void add_dead_site(Coverage& coverage, const Log& log, uint32_t number) {
  const InstalledView* const last = crashed_in(log, number);
  if (last == nullptr) return;
  uint64_t pass = 0;
  for (const PassSent& sent : log.passes) {
    if (sent.epoch == last->epoch && sent.at_ns <= log.lives[number].died_ns)
      pass = std::max(pass, sent.number);
  }
  if (last->site(pass + 1) != number) return;
  ++coverage.dead_sites;
  const InstalledView* const neighbours = crashed_in(log, last->site(pass + 2));
  const bool both =
      neighbours != nullptr && neighbours->epoch == last->epoch && last->site(pass + 2) != number;
  coverage.dead_neighbours += both ? 1 : 0;
}

void add_ring(Coverage& coverage, const Log& log) {
  coverage.with_ring += log.passes.empty() ? 0 : 1;
  coverage.passes += log.passes.size();
  for (const PassSent& pass : log.passes) coverage.passes_empty += pass.items.empty() ? 1 : 0;
  for (const Life& life : log.lives) coverage.holes += life.holes;
  for (uint32_t life = 0; !log.passes.empty() && life < log.lives.size(); ++life)
    add_dead_site(coverage, log, life);
}

void add_locks(Coverage& coverage, const Log& log) {
  coverage.with_locks += log.locks_said.empty() ? 0 : 1;
  for (const GroupTold& told : log.group_told) {
    if (told.what != GroupTold::What::kLock || told.life != told.holder) continue;
    const bool moved = told.lock == GroupTold::Lock::kMoved;
    coverage.locks_granted += told.lock == GroupTold::Lock::kGranted ? 1 : 0;
    coverage.locks_moved += moved ? 1 : 0;
    coverage.locks_moved_by_view += moved && told.grant.place == 0 ? 1 : 0;
  }
  std::map<std::pair<uint32_t, uint32_t>, bool> suspended;  // by life and group
  for (const GroupTold& told : log.group_told) {
    if (told.what == GroupTold::What::kView) suspended[{told.life, told.number}] = told.suspended;
    if (told.what != GroupTold::What::kLock) continue;
    coverage.locks_refused += told.lock == GroupTold::Lock::kRefused ? 1 : 0;
    const bool queued = told.lock == GroupTold::Lock::kQueued;
    coverage.locks_withheld += queued && suspended[{told.life, told.number}] ? 1 : 0;
  }
  for (const RegisterWrite& write : log.register_writes) {
    coverage.register_writes += write.taken ? 1 : 0;
    coverage.stale_writes += write.taken ? 0 : 1;
    coverage.two_believers += !write.taken && write.believers > 1 ? 1 : 0;
  }
}

void add_calls(Coverage& coverage, const Log& log) {
  for (const CallTold& told : log.calls_told) {
    const bool made = told.what == CallTold::What::kCalled;
    coverage.kept_for_others += told.what == CallTold::What::kKeeping ? 1 : 0;
    coverage.calls += made ? 1 : 0;
    coverage.calls_outside += made && told.number > kOutsideNumbers ? 1 : 0;
    if (told.what != CallTold::What::kEnded) continue;
    const auto what = static_cast<Outcome::What>(told.outcome);
    coverage.calls_acknowledged += what == Outcome::What::kAcknowledged ? 1 : 0;
    coverage.calls_answered += what == Outcome::What::kAnswered ? 1 : 0;
    coverage.calls_short += what == Outcome::What::kShort ? 1 : 0;
    coverage.calls_to_nobody += what == Outcome::What::kNobody ? 1 : 0;
    coverage.holders_departed += what == Outcome::What::kHolderDeparted ? 1 : 0;
    coverage.calls_timed_out += what == Outcome::What::kTimeout ? 1 : 0;
    coverage.calls_unknown += what == Outcome::What::kUnknown ? 1 : 0;
    coverage.sessions_expired += what == Outcome::What::kExpired ? 1 : 0;
    coverage.calls_refused += what == Outcome::What::kRefused ? 1 : 0;
    coverage.none_kept += what == Outcome::What::kNoAnswerKept ? 1 : 0;
  }
  for (const Life& life : log.lives) {
    coverage.repetitions += life.repetitions;
    coverage.refused_again += life.refused_again;
  }
}

}  // namespace

void Coverage::add(const Log& log) {
  ++seeds;
  add_rates(*this, log);
  add_ring(*this, log);
  add_locks(*this, log);
  add_calls(*this, log);
  with_membership += log.membership ? 1 : 0;
  add_views(*this, log);
  tells_deaths += log.tells_deaths ? 1 : 0;
  buried += log.buried.size();
  frames += log.frames.size();
  control_frames += log.control_frames;
  copies_lost += log.copies_lost;
  copies_damaged += log.copies_damaged;
  ring_losses += log.ring_losses;
  nacks += log.nack_frames.size();
  for (const SentFrame& frame : log.frames) {
    lost_at_transmitter += frame.lost_at_transmitter ? 1 : 0;
    repairs += frame.repair ? 1 : 0;
    frames_shared += frame.shared > 1 ? 1 : 0;
  }
  for (const Arrival& arrival : log.arrivals) {
    duplicates += arrival.outcome == DropReason::kDuplicate ? 1 : 0;
    too_far_ahead += arrival.outcome == DropReason::kTooFarAhead ? 1 : 0;
    slow_consumer += arrival.outcome == DropReason::kSlowConsumer ? 1 : 0;
  }
  for (const Life& life : log.lives) {
    nacks_suppressed += life.nacks_suppressed;
    resumed += life.resumed;
    in_runs += life.in_runs;
    partial_bursts += life.port.partial_bursts;
    refusals += life.port.refusals;
    late_frees += life.port.late_frees;
    links_filled += life.links_filled;
    pool_empty += life.pool_empty;
    application_refusals += life.application_refusals;
    wild_lives += life.wild ? 1 : 0;
    crashes += life.died_ns != kNever && life.left_ns == kNever ? 1 : 0;
  }
  for (const Membership& membership : log.memberships) {
    admissions += membership.what == What::kJoined ? 1 : 0;
    evicted_lag += membership.what == What::kEvictedLag ? 1 : 0;
    evicted_silent += membership.what == What::kEvictedSilent ? 1 : 0;
    left += membership.what == What::kLeft ? 1 : 0;
    restarts += membership.what == What::kRestarted ? 1 : 0;
  }
  for (const Publication& publication : log.publications)
    stable += publication.stable_ns != kNever ? 1 : 0;
  for (const Told& told : log.told) add_told(*this, log, told);
  with_groups += log.group_told.empty() ? 0 : 1;
  for (const GroupTold& told : log.group_told) {
    group_views += told.what == GroupTold::What::kView ? 1 : 0;
    states_restored += told.what == GroupTold::What::kRestored ? 1 : 0;
    states_lost += told.what == GroupTold::What::kLost ? 1 : 0;
  }
}

void Coverage::add(const Coverage& other) {
#define LAMBDACAST_ADD(field, help) field += other.field;
  LAMBDACAST_COVERAGE(LAMBDACAST_ADD)
#undef LAMBDACAST_ADD
}

const char* Coverage::missing() const {
  if (delivered == 0) return "nothing was delivered";
  if (repairs == 0 || repaired == 0) return "nothing was repaired";
  if (stable == 0) return "nothing was called stable";
  const uint64_t ordered = totally_ordered + k_resilient + majority + totally_resilient;
  if (with_membership > 0 && ordered == 0) return "nothing was totally ordered";
  if (seeds < 200) return nullptr;  // too few for the rarer things
  if (with_groups > 0 && states_restored == 0) return "no group's state was handed over";
  if (with_ring > 0 && passes_empty == 0) return "no token was on its way to rest";
  if (with_ring > 0 && dead_sites == 0) return "no token site died";
  if (tells_deaths > 0 && buried == 0) return "no life was told to be over";
  if (with_membership > 0 && view_changes == 0) return "no view changed";
  if (with_membership > 0 && recovered == 0)
    return "nothing was recovered of a member that is no more";
  if (with_membership > 0 && (k_resilient == 0 || majority == 0 || totally_resilient == 0))
    return "a level of resilience was never used";
  // Scenarios of rates, one of eight of which agrees on none (random_rates.cc), give slow receivers
  // more time than their faults last. The number of seeds need not be a multiple of eight.
  const bool lags = 7 * (seeds - with_rates) > with_rates + 8;
  if ((lags && evicted_lag == 0) || evicted_silent == 0) return "nobody was cut off";
  if (restarts == 0) return "nobody restarted";
  if (wild_lives > 0) {
    if (partial_bursts == 0 || refusals == 0) return "a port took everything at once";
    if (late_frees == 0) return "no port held on to what it had sent";
    if (links_filled == 0) return "no link was ever full";
    if (pool_empty == 0) return "no pool was ever empty";
    if (application_refusals == 0) return "no application ever refused";
  }
  if (in_runs == 0) return "nothing was judged a run at a time";
  if (lost_sender_gone == 0 || lost_evicted == 0) return "nothing was declared lost";
  if (with_ring >= 1000 && dead_neighbours == 0) return "no two neighbours of a ring died";
  if (with_ring >= 1000 && holes == 0) return "no view ended with a hole";
  return with_locks < 2000 ? nullptr : missing_of_locks();
}

const char* Coverage::missing_of_locks() const {
  // Seeds with a ring use locks too, and share none.
  if (with_locks > with_ring && frames_shared == 0) return "no messages shared a packet";
  if (locks_granted == 0 || locks_moved == 0) return "no lock was granted, or none moved";
  if (locks_moved_by_view == 0) return "no view moved a lock";
  if (locks_refused == 0) return "no lock was refused";
  if (locks_withheld == 0) return "no group was suspended when a lock was asked for";
  if (stale_writes == 0) return "no register refused a stale write";
  if (two_believers == 0) return "no two believed at once to hold a lock";
  if (calls_acknowledged == 0) return "no call was acknowledged";
  if (calls_answered == 0) return "no call was answered";
  if (calls_short == 0 || calls_to_nobody == 0) return "no call lacked somebody to answer it";
  if (holders_departed == 0) return "no holder departed that had been asked";
  if (calls_timed_out == 0 || calls_unknown == 0) return "no call was given up, or cut off";
  if (repetitions == 0) return "no request of a session was repeated";
  if (refused_again == 0) return "no request came again that had been refused";
  if (calls_refused == 0) return "no call was refused";
  if (sessions_expired == 0 || none_kept == 0) return "no session expired, or each answer was kept";
  if (kept_for_others == 0) return "no answer was kept in case the holder departs";
  return nullptr;
}

}  // namespace lambdacast::sim
