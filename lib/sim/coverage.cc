#include "sim/coverage.h"

namespace lambdacast::sim {

namespace {

using counters::DropReason;
using reliability::LossReason;
using What = reliability::ReceiverEvent::What;

void add_told(Coverage& coverage, const Log& log, const Told& told) {
  if (!told.is_gap) {
    ++coverage.delivered;
    if (told.qos == wire::Qos::kUnreliable) ++coverage.delivered_unreliable;
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
}

}  // namespace

void Coverage::add(const Log& log) {
  ++seeds;
  frames += log.frames.size();
  control_frames += log.control_frames;
  copies_lost += log.copies_lost;
  copies_damaged += log.copies_damaged;
  ring_losses += log.ring_losses;
  nacks += log.nack_frames.size();
  for (const SentFrame& frame : log.frames) {
    lost_at_transmitter += frame.lost_at_transmitter ? 1 : 0;
    repairs += frame.repair ? 1 : 0;
  }
  for (const Arrival& arrival : log.arrivals) {
    duplicates += arrival.outcome == DropReason::kDuplicate ? 1 : 0;
    too_far_ahead += arrival.outcome == DropReason::kTooFarAhead ? 1 : 0;
    slow_consumer += arrival.outcome == DropReason::kSlowConsumer ? 1 : 0;
  }
  for (const Life& life : log.lives) {
    nacks_suppressed += life.nacks_suppressed;
    crashes += life.died_ns != kNever && life.left_ns == kNever ? 1 : 0;
  }
  for (const Membership& membership : log.memberships) {
    admissions += membership.what == What::kJoined ? 1 : 0;
    evicted_lag += membership.what == What::kEvictedLag ? 1 : 0;
    evicted_silent += membership.what == What::kEvictedSilent ? 1 : 0;
    left += membership.what == What::kLeft ? 1 : 0;
    restarts += membership.what == What::kRestarted ? 1 : 0;
  }
  for (const Told& told : log.told) add_told(*this, log, told);
}

void Coverage::add(const Coverage& other) {
#define LAMBDACAST_ADD(field, help) field += other.field;
  LAMBDACAST_COVERAGE(LAMBDACAST_ADD)
#undef LAMBDACAST_ADD
}

const char* Coverage::missing() const {
  if (delivered == 0) return "nothing was delivered";
  if (repairs == 0 || repaired == 0) return "nothing was repaired";
  if (seeds < 200) return nullptr;  // too few for the rarer things
  if (evicted_lag == 0 || evicted_silent == 0) return "nobody was cut off";
  if (restarts == 0) return "nobody restarted";
  if (lost_sender_gone == 0 || lost_evicted == 0) return "nothing was declared lost";
  return nullptr;
}

}  // namespace lambdacast::sim
