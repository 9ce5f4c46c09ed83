// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/admissions.h"

#include <algorithm>

namespace lambdacast::reliability {

Admissions::Admissions(const ReliabilityConfig& config, const base::UptimeClock& clock,
                       const TransmitWindow& window, HeartbeatSchedule& heartbeats)
    : config_(config),
      clock_(clock),
      window_(window),
      heartbeats_(heartbeats),
      receivers_(config.max_peers, config.initial_rtt_ns, config.in_flight_pkts) {}

// Another incarnation of a receiver: the old one wants nothing any more. An older number is a frame
// that comes late, or, behind a silence, one whose clock was set back.
bool Admissions::hear(size_t peer, const wire::StreamName& name, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (receiver.known && receiver.name != name) {
    const bool another = name.gid != receiver.name.gid || name.qpn != receiver.name.qpn;
    const bool older = static_cast<int32_t>(name.incarnation - receiver.name.incarnation) < 0;
    if (older && !another && !silent(receiver)) return false;
    if (receiver.member) return false;  // the view has to end first
    if (another) succeed(peer, now_ns);
    if (receiver.admitted) {
      tell(ReceiverEvent::What::kRestarted, peer, receiver.contiguous, now_ns);
      receivers_.remove(peer);
    }
    receiver.begin_life();
  }
  if (receiver.left) return false;
  receiver.known = true;
  receiver.name = name;
  receiver.heard_uptime_ns = clock_.uptime_ns();
  return true;
}

// Another receiver has the place of one that is gone, which the receiving half has found out. It is
// as far away as any.
void Admissions::succeed(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (receiver.admitted) evict(peer, wire::Verdict::kEvictedSilent, now_ns);
  receiver.round_trip = RoundTrip(config_.initial_rtt_ns);
  receiver.heard_of = Receivers::kUnlimited;
  receiver.contiguous = receiver.room = 0;
}

void Admissions::hear_end(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  receiver.ended = true;
  if (!receiver.member) leave(peer, now_ns);
}

bool Admissions::hear_status(size_t peer, const wire::StatusEntry& entry, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  receiver.round_trip.sample_echo(entry, now_ns);
  if (entry.path_mtu != 0) receiver.path_mtu = entry.path_mtu;
  if (!takes_all(receiver)) {
    refuse(peer, now_ns);
  } else if ((entry.flags & wire::kStatusJoining) != 0) {
    if (!receiver.admitted && !receiver.trial.on()) welcome(peer, now_ns);
    receiver.verdict = wire::Verdict::kWelcome;
    owe_verdict(receiver);
  } else if (receiver.trial.on()) {
    judge_trial(peer, entry, now_ns);
  } else if (receiver.admitted) {
    return true;
  } else {
    if (receiver.verdict == wire::Verdict::kWelcome)
      receiver.verdict = wire::Verdict::kEvictedSilent;
    owe_verdict(receiver);
  }
  return false;
}

// The first position that the receiver is to have; of one that hears the stream, the next that it
// needs.
uint64_t Admissions::opening(const ReceiverState& receiver) const {
  if (receiver.admitted || receiver.trial.on()) return receiver.contiguous + 1;
  return config_.late_join == LateJoin::kNow ? window_.end() : window_.oldest();
}

bool Admissions::takes_all(const ReceiverState& receiver) const {
  return receiver.path_mtu == 0 ||
         longest_frame_ <= receiver.path_mtu + config_.frame_overhead_bytes;
}

// One that cannot take packets as long as these would ask for them for ever. A member is accused,
// and its view ends.
void Admissions::refuse(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (receiver.verdict != wire::Verdict::kRefused) {
    ++counters_.refused;
    tell(ReceiverEvent::What::kRefused, peer, receiver.contiguous, now_ns);
  }
  receiver.verdict = wire::Verdict::kRefused;
  receiver.trial.end();
  owe_verdict(receiver);
  if (receiver.member) {
    accuse(peer);
  } else if (receiver.admitted) {
    receivers_.remove(peer);
  }
}

void Admissions::lengthen(uint32_t frame_bytes, uint64_t now_ns) {
  longest_frame_ = frame_bytes;
  for (size_t peer = 0; peer < receivers_.max_peers(); ++peer) {
    const ReceiverState& receiver = receivers_.at(peer);
    if ((receiver.admitted || receiver.trial.on()) && !takes_all(receiver)) refuse(peer, now_ns);
  }
}

void Admissions::welcome(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (!receiver.trial.due())
    return admit(peer, opening(receiver) - 1, config_.receive_window_pkts / 2, now_ns);
  receiver.contiguous = window_.last();
  receiver.trial.begin();
  ++counters_.trials;
  tell(ReceiverEvent::What::kOnTrial, peer, receiver.contiguous + 1, now_ns);
}

void Admissions::admit(size_t peer, uint64_t contiguous, uint64_t room, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  ++counters_.admissions;
  receiver.trial.end();
  receivers_.admit(peer, contiguous, room);
  receiver.admitted_uptime_ns = clock_.uptime_ns();
  tell(ReceiverEvent::What::kJoined, peer, receiver.contiguous + 1, now_ns);
}

// What it missed while nobody waited for it may be gone: it is owed what is still retained.
void Admissions::judge_trial(size_t peer, const wire::StatusEntry& entry, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (entry.contiguous < receiver.contiguous || entry.contiguous > window_.last()) return;
  receiver.contiguous = entry.contiguous;
  receiver.first_losses = entry.first_losses;
  const Trial::Status status{entry.contiguous, entry.room, entry.first_losses, window_.last()};
  if (!receiver.trial.passes(status, clock_.uptime_ns(), config_.evict_lag_ns,
                             config_.suspect_after_ns)) {
    return;
  }
  const uint64_t held = std::max(entry.contiguous, window_.oldest() - 1);
  const uint64_t end = entry.contiguous + entry.room;
  admit(peer, held, end - std::min(end, held), now_ns);
}

void Admissions::evict(size_t peer, wire::Verdict verdict, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (receiver.member) {  // whether it is silent is membership's to say
    if (verdict == wire::Verdict::kEvictedLag) accuse(peer);
    return;
  }
  const bool silent = verdict == wire::Verdict::kEvictedSilent;
  ++(silent ? counters_.evicted_silent : counters_.evicted_lag);
  ++receiver.evictions;
  tell(silent ? ReceiverEvent::What::kEvictedSilent : ReceiverEvent::What::kEvictedLag, peer,
       receiver.contiguous, now_ns);
  receiver.verdict = verdict;
  if (!silent) {
    const uint64_t stayed_ns = clock_.uptime_ns() - receiver.admitted_uptime_ns;
    receiver.trial.note_cut_off(stayed_ns, 2 * config_.suspect_after_ns);
  }
  receivers_.remove(peer);
  owe_verdict(receiver);
}

// The losses and lags of peers beyond the set's capacity are nobody's to accuse.
void Admissions::accuse(size_t peer) {
  if (peer < base::NodeSet::kCapacity) proposed_.add(peer);
}

void Admissions::enlist(size_t peer, const wire::StreamName& name, uint64_t held, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (receiver.known && receiver.name != name) return;  // that incarnation is over
  receiver.member = true;
  if (receiver.admitted || !receiver.known || receiver.left) return;
  receiver.heard_uptime_ns = clock_.uptime_ns();
  receiver.verdict = wire::Verdict::kWelcome;
  receiver.verdict_due = false;
  admit(peer, std::max(held, window_.oldest() - 1), config_.receive_window_pkts / 2, now_ns);
}

void Admissions::discharge(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  receiver.member = false;
  if (receiver.ended) leave(peer, now_ns);
}

void Admissions::expel(size_t peer, const wire::StreamName& name, uint64_t now_ns) {
  discharge(peer, now_ns);
  const ReceiverState& receiver = receivers_.at(peer);
  if (receiver.admitted && receiver.name == name)
    evict(peer, wire::Verdict::kEvictedSilent, now_ns);
}

void Admissions::cut_off_silent(uint64_t now_ns) {
  for (size_t i = receivers_.admitted(); i-- > 0;) {
    const size_t peer = receivers_.admitted_peer(i);
    ReceiverState& receiver = receivers_.at(peer);
    if (!silent(receiver)) continue;
    receiver.member = false;
    if (receiver.ended)
      leave(peer, now_ns);
    else
      evict(peer, wire::Verdict::kEvictedSilent, now_ns);
  }
}

// Its place is free, and nobody accuses it of silence.
void Admissions::leave(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  receiver.left = true;
  receiver.verdict_due = false;
  receiver.verdict = wire::Verdict::kWelcome;
  receiver.trial.end();
  if (!receiver.admitted) return;
  ++counters_.left;
  tell(ReceiverEvent::What::kLeft, peer, receiver.contiguous, now_ns);
  receivers_.remove(peer);
}

void Admissions::check(uint64_t now_ns) {
  for (size_t i = receivers_.admitted(); i-- > 0;) {
    const size_t peer = receivers_.admitted_peer(i);
    const ReceiverState& receiver = receivers_.at(peer);
    if (silent(receiver)) {
      evict(peer, wire::Verdict::kEvictedSilent, now_ns);
      continue;
    }
    // Packets that have expired meanwhile are no excuse: it lacks retained ones as well.
    const uint64_t lacks = std::max(receiver.contiguous + 1, window_.oldest());
    if (config_.slow_receiver != SlowReceiver::kEvict || !window_.retains(lacks)) continue;
    const uint64_t since_ns =
        std::max(window_.at(lacks).sent_uptime_ns, receiver.admitted_uptime_ns);
    if (clock_.uptime_ns() - since_ns > config_.evict_lag_ns)
      evict(peer, wire::Verdict::kEvictedLag, now_ns);
  }
  check_trials();
}

// One that is silent has to ask to join again, as any other.
void Admissions::check_trials() {
  if (counters_.trials == 0) return;
  for (size_t peer = 0; peer < receivers_.max_peers(); ++peer) {
    ReceiverState& receiver = receivers_.at(peer);
    if (!receiver.trial.on()) continue;
    if (!silent(receiver)) continue;
    receiver.trial.end();
    receiver.verdict = wire::Verdict::kEvictedSilent;
    owe_verdict(receiver);
  }
}

void Admissions::owe_verdict(ReceiverState& receiver) {
  verdicts_.owe(receiver);
  heartbeats_.hurry();
}

void Admissions::tell(ReceiverEvent::What what, size_t peer, uint64_t position, uint64_t now_ns) {
  events_.add(
      {what, static_cast<uint16_t>(peer), receivers_.at(peer).name.incarnation, position, now_ns});
}

}  // namespace lambdacast::reliability
