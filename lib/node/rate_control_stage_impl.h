// SPDX-License-Identifier: BSD-3-Clause
// Bodies of rate_control_stage.h, for the sources that instantiate a node.
#pragma once

#include <algorithm>
#include <utility>

#include "node/rate_control_stage.h"
#include "node/releaser.h"

namespace lambdacast::node {

template <typename Env>
RateControlStage<Env>::~RateControlStage() {
  if (control_frame_ != Packet{}) env_.packets.free(control_frame_);
  env_.packets.free(statuses_.data(), statuses_count_);
  env_.packets.free(stalled_.data() + stalled_begin_, stalled_end_ - stalled_begin_);
  half_.sender.clear(Releaser<Env>(env_));
}

// --- the turn ------------------------------------------------------------------------------------

template <typename Env>
uint32_t RateControlStage<Env>::poll(uint64_t now_ns) {
  half_.sender.pass_time(now_ns, !rx_blocked_.get());
  uint32_t moved = links_.heard.empty() ? 0 : hear(now_ns);
  // Nobody is silent whose status waits.
  if (links_.heard.empty()) half_.sender.check_receivers(now_ns);
  if (half_.sender.has_event()) [[unlikely]] {
    tell_events();
    half_.sender.release(Releaser<Env>(env_));  // what it kept for whoever is gone
  }
  if (guard_ != nullptr) may_speak_ = guard_->may_speak(now_ns);
  if (share_.window() != nullptr) [[unlikely]]
    tell_window(now_ns);
  // What was taken at a higher rate is out: those who wait for that may hear so.
  if (share_.look(pending_.empty(), now_ns) && view_ != nullptr) view_->hurry();
  // Marks that wait for a window give up their turn: what opens it may be statuses behind them.
  if (view_ != nullptr && (now_ns < view_->marks_due_ns() || half_.sender.allowance() == 0))
    share_.withdraw(Lazy::kMarks);
  moved += send_control(now_ns);
  if (pending_.empty() && may_speak_) frame_what_may_go(now_ns);
  if (moved + pending_.size() != 0) publish_state();
  if (half_.stability.waits()) publish_stable();
  if (!pending_.empty()) moved += pending_.transmit(now_ns);
  if (!pending_.empty()) [[unlikely]]
    pending_.share();
  return moved;
}

// The port may have what the pool lacks, and gives it back with what it is handed next: nothing, if
// nobody has a packet for that.
template <typename Env>
inline typename Env::Packet RateControlStage<Env>::allocate() {
  const Packet packet = env_.packets.allocate();
  if (packet == Packet{}) [[unlikely]]
    env_.transmitter.reclaim();
  return packet;
}

// Fills pending_ with frames that have their number.
template <typename Env>
void RateControlStage<Env>::frame_what_may_go(uint64_t now_ns) {
  if (!anything_waits(now_ns)) return;
  // What a closed window left behind is caught up with: an application that floods publishes as
  // much as is taken, and the queue would stand for ever.
  const uint32_t most =
      links_.recoverable.size() > burst_ ? std::min(2 * burst_, kMaxBurst) : burst_;
  const uint64_t wanted = std::min<uint64_t>(most, pacer_.allowance(now_ns));
  if (wanted == 0) return;
  reliability::StreamSender& sender = half_.sender;
  // This releases packets that all receivers have, and with no receiver left every packet. It comes
  // before the framing: a packet that is framed and not yet sent must not be among them.
  if (view_ != nullptr && view_->is_stranded()) [[unlikely]]
    go_on_without_view(now_ns);
  pending_.begin();
  if (rates_due()) [[unlikely]]
    take_rates(std::min(wanted, sender.allowance()), now_ns);
  if (view_ != nullptr && now_ns >= view_->marks_due_ns()) {
    take_marks(std::min(wanted, sender.allowance()), now_ns);
    share_.follow(now_ns);  // a mark of this node's own may lower its share
  }
  const uint64_t window = window_for_data();
  const bool recoverable_waits =
      window != 0 && (!links_.recoverable.empty() || stalled_begin_ != stalled_end_);
  const bool data_waits = !links_.unreliable.empty() || recoverable_waits;
  if (sender.repairs_wait()) [[unlikely]]
    take_repairs(wanted, data_waits, now_ns);
  const uint32_t repairs = pending_.framed();
  // Neither kind of data waits for the other: each has half of what may go if both want more, and
  // an odd one by turns, for a pacer may let go one at a time.
  const uint64_t left = wanted - repairs;
  take_unreliable(recoverable_waits ? (left + (odd_is_unreliable_ ? 1 : 0)) / 2 : left, now_ns);
  const uint64_t recoverable = std::min(wanted - pending_.framed(), window);
  if (window == 0 && !links_.recoverable.empty()) note_closed(now_ns);
  if (view_ != nullptr)
    take_ordered(recoverable, now_ns);
  else if (recoverable != 0)
    take_recoverable(recoverable, now_ns);
  if (pending_.framed() == repairs) take_unreliable(left, now_ns);  // what had its turn may not go
  if (pending_.framed() != repairs) {
    sender.sent_data(pending_.framed() - repairs);
    odd_is_unreliable_ = !odd_is_unreliable_;
  } else if (data_waits && sender.repairs_wait()) {
    // Data of which nothing may go earns repairs no share, and may be waiting for them: a view that
    // ends lets none go before its members hold what they miss, and they hold the buffers.
    take_repairs(wanted, false, now_ns);
  }
  for (uint32_t i = 0; i < pending_.framed(); ++i)
    half_.builder.seal(Env::frame(pending_[i]), Env::length(pending_[i]));
  packets_ += pending_.framed();
  pacer_.spend(pending_.framed());
  share_.end_turn(data_waits, pending_.framed() != 0, now_ns);
}

// Tells the window what all receivers have heard of.
template <typename Env>
void RateControlStage<Env>::tell_window(uint64_t now_ns) {
  rate_control::Window& window = *share_.window();
  const reliability::Receivers& receivers = half_.sender.receivers();
  if (receivers.heard_of() == reliability::Receivers::kUnlimited) {
    window.nobody();
  } else {
    const size_t slowest = receivers.slowest();
    const uint64_t variation_ns = slowest < receivers.max_peers()
                                      ? receivers.at(slowest).round_trip.variation_ns()
                                      : receivers.rtt_ns() / 2;
    window.heard(receivers.heard_of(),
                 {receivers.rtt_ns(), variation_ns, half_.sender.progress_told_ns()});
  }
  window.look(now_ns);
}

// Data waits for a window: which one counts.
template <typename Env>
void RateControlStage<Env>::note_closed(uint64_t now_ns) {
  if (share_.window_packets() != 0) return half_.sender.note_closed();
  share_.window()->refused(now_ns);
}

// Packets of recoverable data that may go out now.
template <typename Env>
inline uint64_t RateControlStage<Env>::window_for_data() const {
  uint64_t allowance = half_.sender.allowance();
  if (view_ != nullptr) allowance = Marks::leave_to_data(allowance);
  allowance = std::min(allowance, share_.window_packets());
  return std::min(allowance, half_.stability.room(half_.sender.window().last()));
}

template <typename Env>
inline bool RateControlStage<Env>::anything_waits(uint64_t now_ns) const {
  return !links_.recoverable.empty() || !links_.unreliable.empty() ||
         stalled_begin_ != stalled_end_ || half_.sender.repairs_wait() || rates_due() ||
         (view_ != nullptr && (now_ns >= view_->marks_due_ns() || view_->resumes()));
}

// Does the view let the first of what was pulled go?
template <typename Env>
bool RateControlStage<Env>::first_may_go() const {
  return stalled_begin_ != stalled_end_ &&
         (Env::info(stalled_[stalled_begin_]).qos < wire::Qos::kTotallyOrdered ||
          view_->allowance() != 0);
}

// Is there recoverable data that its share alone holds back? Then a heartbeat says nothing that it
// will not say, unless it asks for statuses.
template <typename Env>
bool RateControlStage<Env>::waits_for_share() const {
  if (!share_.data_waits()) [[likely]]
    return false;
  if (window_for_data() == 0 || half_.sender.presses()) return false;
  if (stalled_begin_ != stalled_end_) return view_ != nullptr && first_may_go();
  return !links_.recoverable.empty();
}

// Whatever waits for a window, the view or the port's copy of a packet hears of those by a link, or
// is looked at again at once.
template <typename Env>
uint64_t RateControlStage<Env>::next_deadline_ns() const {
  if (!pending_.empty() || control_frame_ != Packet{} || half_.sender.has_event()) return 0;
  if (half_.stability.would_advance(half_.sender.stable(), stable_marks())) return 0;
  const reliability::StreamSender& sender = half_.sender;
  if (!may_speak_) return guard_->next_deadline_ns();
  uint64_t next_ns = sender.next_deadline_ns(waits_for_share());
  if (guard_ != nullptr) next_ns = std::min(next_ns, guard_->next_deadline_ns());
  if (view_ != nullptr && !sender.said_the_end()) {
    const uint64_t speech_ns = view_->next_speech_ns();
    const bool may_wait = view_->speech_may_wait(speech_ns);
    const uint64_t lazy_ns = may_wait ? share_.lazy_deadline_ns() : 0;
    next_ns = std::min({next_ns, std::max(speech_ns, lazy_ns), view_->heartbeat_due_ns()});
  }
  if (statuses_count_ != 0) next_ns = std::min(next_ns, share_.lazy_deadline_ns());
  const uint64_t window = window_for_data();
  bool may_go = !links_.unreliable.empty() || sender.repairs_wait();
  if (view_ == nullptr) {
    may_go = may_go || (window != 0 && !links_.recoverable.empty());
  } else {
    uint64_t due_ns = view_->marks_due_ns();
    if (due_ns != ~uint64_t{0} && !view_->marks_are_urgent())
      due_ns = std::max(due_ns, share_.lazy_deadline_ns());
    if (rates_due() && view_->may_announce()) due_ns = 0;
    if (sender.allowance() != 0)
      next_ns = std::min(next_ns, std::max(due_ns, pacer_.next_deadline_ns()));
    if (window != 0 && view_->resumes()) may_go = may_go || view_->allowance() != 0;
    if (window != 0 && !view_->resumes())
      may_go = may_go || first_may_go() ||
               (stalled_begin_ == stalled_end_ && !links_.recoverable.empty());
  }
  next_ns = std::min(next_ns, share_.next_look_ns());
  if (!may_go) return next_ns;
  return std::min(next_ns, std::max(pacer_.next_deadline_ns(), share_.data_deadline_ns()));
}

// --- frames --------------------------------------------------------------------------------------

template <typename Env>
void RateControlStage<Env>::take_repairs(uint64_t most, bool data_waits, uint64_t now_ns) {
  reliability::StreamSender& sender = half_.sender;
  for (uint64_t tries = sender.repairs_waiting(); tries != 0 && pending_.framed() < most; --tries) {
    if (!share_.allows(now_ns)) return;
    const auto repair = sender.next_repair(data_waits);
    if (!repair) return;
    const Packet packet = Env::packet(repair->packet);
    if (env_.packets.shared(packet)) {
      // A port is still reading it: it must not change.
      sender.postpone(repair->position);
      env_.transmitter.reclaim();
      continue;
    }
    // Not by the keep flag, as data is: it may be released before the port has it, where newcomers
    // are given what is retained and the data behind it needs the room.
    env_.packets.share(packet);
    Env::set_length(packet, half_.builder.lay_repair(Env::frame(packet), Env::info(packet),
                                                     repair->position, now_ns));
    sender.repaired(repair->position, now_ns);
    pending_.add(packet);
    charge(packet, Transmission::kRepair);
  }
}

// The headers go before the payload that the application wrote in place, pad behind it.
template <typename Env>
inline void RateControlStage<Env>::lay(Packet packet, uint64_t now_ns) {
  Env::set_length(packet, half_.builder.lay(Env::frame(packet), Env::info(packet), now_ns));
}

template <typename Env>
inline void RateControlStage<Env>::count(const PacketInfo& info) {
  messages_ += messages_begun(info);
  application_bytes_ += node::application_bytes(info);
}

template <typename Env>
void RateControlStage<Env>::take_unreliable(uint64_t most, uint64_t now_ns) {
  take_by_share(links_.unreliable, most, now_ns, [&](Packet packet) { lay(packet, now_ns); });
}

// Pulls, lays out by lay(packet) and counts as many as there are: as many at once as the share
// allows of the longest frames, and what shorter ones leave of it after that.
template <typename Env>
template <typename Lay>
inline void RateControlStage<Env>::take_by_share(Queue& from, uint64_t most, uint64_t now_ns,
                                                 Lay&& lay) {
  for (uint64_t taken = 0; taken < most && !from.empty();) {
    const uint64_t step = std::min(most - taken, share_.frames_allowed(now_ns));
    if (step == 0) return;
    taken += step;
    const uint32_t first = pending_.framed();
    pending_.pull(from, step);
    for (uint32_t i = first; i < pending_.framed(); ++i) Env::prefetch(pending_[i]);
    const bool limited = share_.limited();
    uint64_t bytes = 0;
    for (uint32_t i = first; i < pending_.framed(); ++i) {
      lay(pending_[i]);
      count(Env::info(pending_[i]));
      if (limited) bytes += wire_bytes_of(pending_[i]);
    }
    if (limited) share_.charge(bytes, Transmission::kFirst, pending_.framed() - first);
  }
}

template <typename Env>
void RateControlStage<Env>::take_recoverable(uint64_t most, uint64_t now_ns) {
  take_by_share(links_.recoverable, most, now_ns, [&](Packet packet) {
    half_.stability.sent(lay_recoverable(packet, now_ns), false);
  });
  if (half_.sender.receivers().admitted() == 0) half_.sender.release(Releaser<Env>(env_));
}

// Returns its rel_seq.
template <typename Env>
inline uint64_t RateControlStage<Env>::lay_recoverable(Packet packet, uint64_t now_ns) {
  lay(packet, now_ns);
  return retain(packet, now_ns);
}

// With the keep flag the port leaves the packet alone, and without it the port drops a reference. A
// packet that is retained for nobody may be released at once, before the port has it.
template <typename Env>
inline uint64_t RateControlStage<Env>::retain(Packet packet, uint64_t now_ns) {
  if (env_.packets.can_keep() && half_.sender.receivers().admitted() != 0) [[likely]]
    env_.packets.keep(packet);
  else
    env_.packets.share(packet);
  PacketInfo& info = Env::info(packet);
  info.rel_seq = half_.sender.window().end();
  if (share_.window() != nullptr) [[unlikely]]
    share_.window()->sent(info.rel_seq, wire_bytes_of(packet));
  return half_.sender.sent(Env::handle(packet), static_cast<uint32_t>(Env::length(packet)), now_ns,
                           Releaser<Env>(env_));
}

// --- what others read ----------------------------------------------------------------------------

template <typename Env>
void RateControlStage<Env>::publish_state() {
  const auto receivers = static_cast<uint32_t>(half_.sender.receivers().admitted());
  if (receivers != receivers_.load(std::memory_order_relaxed)) receivers_.store(receivers);
  const bool flushed =
      half_.sender.flushed() && links_.recoverable.empty() && stalled_begin_ == stalled_end_;
  if (flushed != flushed_.load(std::memory_order_relaxed)) flushed_.store(flushed);
}

template <typename Env>
void RateControlStage<Env>::publish_stable() {
  half_.stability.advance(half_.sender.stable(), stable_marks());
  const uint64_t stable = half_.stability.stable();
  if (stable != stable_.load(std::memory_order_relaxed))
    stable_.store(stable, std::memory_order_release);
}

template <typename Env>
void RateControlStage<Env>::tell_events() {
  while (reliability::ReceiverEvent* slot = events_.begin()) {
    const auto event = half_.sender.take_event();
    if (!event) return;
    *slot = *event;
    events_.push();
  }
}

template <typename Env>
std::optional<reliability::ReceiverEvent> RateControlStage<Env>::take_event() {
  return events_.take();
}

}  // namespace lambdacast::node
