#include "dataplane/rate_control_stage.h"

#include <rte_ethdev.h>

#include <algorithm>

#include "dataplane/handle.h"

namespace lambdacast::dataplane {

using reliability::PacketHandle;

namespace {

// Gives mbufs back in bulk.
class Releaser {
 public:
  explicit Releaser(rte_mempool* pool) : pool_(pool) {}
  ~Releaser() { flush(); }
  void operator()(PacketHandle packet) {
    if (count_ == kMaxBurst) flush();
    packets_[count_++] = mbuf_of(packet);
    __builtin_prefetch(packets_[count_ - 1]);
  }

 private:
  void flush() {
    if (count_ != 0) free_plain(pool_, packets_, count_);
    count_ = 0;
  }
  rte_mempool* pool_;
  rte_mbuf* packets_[kMaxBurst];
  uint32_t count_ = 0;
};

void set_length(rte_mbuf* m, size_t bytes) {
  m->data_len = static_cast<uint16_t>(bytes);
  m->pkt_len = static_cast<uint32_t>(bytes);
}

}  // namespace

RateControlStage::RateControlStage(const RateControlConfig& config,
                                   const endpoint::PeerTable& peers, rte_mempool* pool, Links links)
    : core_(config.transmit),
      control_frames_(config.transmit.identity, config.transmit.icrc),
      sender_(config.repair),
      stability_(config.repair.transmit_window_pkts + config.repair.receive_window_pkts,
                 config.repair.first_rel_seq),
      pacer_(config.pacer),
      peers_(peers),
      pool_(pool),
      port_(config.port),
      keep_flag_(config.keep_flag),
      burst_(config.burst),
      links_(links) {}

RateControlStage::~RateControlStage() {
  rte_pktmbuf_free(control_frame_);
  rte_pktmbuf_free_bulk(stalled_.data() + stalled_begin_, stalled_end_ - stalled_begin_);
  if (pending() != 0) rte_pktmbuf_free_bulk(pending_.data() + pending_begin_, pending());
  sender_.clear(Releaser(pool_));
}

uint32_t RateControlStage::poll(uint64_t now_ns) {
  sender_.tick(now_ns, hearing_ == nullptr || !hearing_->deaf());
  if (sender_.has_event()) [[unlikely]] {
    tell_events();
    sender_.release(Releaser(pool_));  // of whom it waited for
  }
  uint32_t moved = links_.heard.empty() ? 0 : hear(now_ns);
  moved += send_control(now_ns);
  if (pending() == 0) take(now_ns);
  if (moved + pending() != 0) publish_state();
  if (stability_.waits()) publish_stable();
  if (pending() == 0) return moved;
  const uint16_t sent = offer(pending_.data() + pending_begin_, static_cast<uint16_t>(pending()));
  pending_begin_ += sent;
  if (keep_flag_ != 0 && pending() != 0) [[unlikely]]
    refer_to_pending();
  return moved + sent;
}

// Without the flag the port drops a reference.
void RateControlStage::retain(rte_mbuf* m) const {
  if (keep_flag_ != 0 && sender_.receivers().admitted() != 0) [[likely]]
    m->ol_flags |= keep_flag_;
  else
    rte_mbuf_refcnt_set(m, 2);
}

// What the port did not take may be released before it does.
void RateControlStage::refer_to_pending() {
  for (uint32_t i = pending_begin_; i < pending_end_; ++i) {
    if ((pending_[i]->ol_flags & keep_flag_) == 0) continue;
    pending_[i]->ol_flags &= ~keep_flag_;
    rte_mbuf_refcnt_set(pending_[i], 2);
  }
}

uint32_t RateControlStage::hear(uint64_t now_ns) {
  rte_mbuf* packets[kMaxBurst];
  const uint32_t got = links_.heard.pull(packets, burst_);
  for (uint32_t i = 0; i < got; ++i) {
    const endpoint::PacketInfo& info = info_of(packets[i]);
    const uint8_t* payload = frame_of(packets[i]) + info.payload_offset;
    sender_.accept_control(info.peer, payload, wire::load_control_header(payload), now_ns,
                           peers_.at(info.peer).gid);
  }
  rte_pktmbuf_free_bulk(packets, got);
  sender_.release(Releaser(pool_));
  return got;
}

void RateControlStage::publish_state() {
  const auto receivers = static_cast<uint32_t>(sender_.receivers().admitted());
  if (receivers != receivers_.load(std::memory_order_relaxed)) receivers_.store(receivers);
  const bool flushed =
      sender_.flushed() && links_.recoverable.empty() && stalled_begin_ == stalled_end_;
  if (flushed != flushed_.load(std::memory_order_relaxed)) flushed_.store(flushed);
}

void RateControlStage::publish_stable() {
  stability_.advance(sender_.stable(), [&](size_t sequencer) {
    return view_ == nullptr ? 0 : view_->core().order().stable_marks(sequencer);
  });
  const uint64_t stable = stability_.stable();
  if (stable != stable_.load(std::memory_order_relaxed))
    stable_.store(stable, std::memory_order_release);
}

void RateControlStage::tell_events() {
  while (reliability::ReceiverEvent* slot = events_.begin()) {
    const auto event = sender_.take_event();
    if (!event) return;
    *slot = *event;
    events_.push();
  }
}

std::optional<reliability::ReceiverEvent> RateControlStage::take_event() {
  const reliability::ReceiverEvent* front = events_.front();
  if (front == nullptr) return std::nullopt;
  const reliability::ReceiverEvent event = *front;
  events_.pop();
  return event;
}

// Neighbor's frames, then what the two halves of reliable multicast have to say; never paced, and
// never behind data.
uint32_t RateControlStage::send_control(uint64_t now_ns) {
  uint32_t sent = 0;
  for (; sent < burst_; ++sent) {
    if (control_frame_ == nullptr) control_frame_ = next_control(now_ns);
    if (control_frame_ == nullptr || offer(&control_frame_, 1) == 0) break;
    control_frame_ = nullptr;
  }
  control_packets_ += sent;
  return sent;
}

rte_mbuf* RateControlStage::next_control(uint64_t now_ns) {
  rte_mbuf* m = nullptr;
  if (control_ != nullptr && control_->pull(&m, 1) == 1) return m;
  size_t bytes = 0;
  if (view_ != nullptr) {
    if ((m = view_->next_relay()) != nullptr) return m;
    if (now_ns >= view_->next_speech_ns() && !sender_.said_the_end()) {
      m = rte_pktmbuf_alloc(pool_);
      if (m == nullptr) return nullptr;
      bytes = view_->next_control(frame_of(m) + control_frames_.payload_offset(),
                                  control_frames_.room_bytes(), now_ns);
      if (bytes != 0) {
        set_length(m, control_frames_.finish(frame_of(m), bytes, now_ns));
        return m;
      }
      rte_pktmbuf_free(m);
    }
  }
  if (links_.said.pull(&m, 1) == 1) {
    bytes = info_of(m).payload_bytes;
  } else if (pending() == 0 && !sender_.said_the_end() && now_ns >= sender_.next_speech_ns()) {
    // With frames pending it would name some that nobody can have.
    m = rte_pktmbuf_alloc(pool_);
    if (m == nullptr) return nullptr;
    bytes = sender_.next_control(frame_of(m) + control_frames_.payload_offset(),
                                 control_frames_.room_bytes(), core_.sequencer().next_frame_seq(),
                                 now_ns);
    if (bytes == 0) {
      rte_pktmbuf_free(m);
      return nullptr;
    }
  } else {
    return nullptr;
  }
  set_length(m, control_frames_.finish(frame_of(m), bytes, now_ns));
  return m;
}

inline bool RateControlStage::anything_waits() const {
  return !links_.recoverable.empty() || !links_.unreliable.empty() ||
         stalled_begin_ != stalled_end_ || sender_.repairs_wait() ||
         (view_ != nullptr && (view_->marks_due() || view_->resumes()));
}

// Fills pending_ with frames that have their number: repairs, then data.
void RateControlStage::take(uint64_t now_ns) {
  if (!anything_waits()) return;
  // What a closed window left behind is caught up with: an application that floods publishes as
  // much as is taken, and the queue would stand for ever.
  const uint32_t most =
      links_.recoverable.size() > burst_ ? std::min(2 * burst_, kMaxBurst) : burst_;
  const uint64_t wanted = std::min<uint64_t>(most, pacer_.allowance(now_ns));
  if (wanted == 0) return;
  pending_begin_ = pending_end_ = 0;
  uint64_t allowance = sender_.allowance();
  if (view_ != nullptr) {
    if (allowance != 0 && view_->marks_due()) take_marks(std::min(wanted, allowance), now_ns);
    constexpr uint64_t kReserve = endpoint::ViewCore::kMarksReserve;
    allowance = sender_.allowance();
    allowance = allowance > kReserve ? allowance - kReserve : 0;
  }
  allowance = std::min(allowance, stability_.room(sender_.window().last()));
  const bool data_waits =
      !links_.unreliable.empty() ||
      (allowance != 0 && (!links_.recoverable.empty() || stalled_begin_ != stalled_end_));
  if (sender_.repairs_wait()) [[unlikely]]
    take_repairs(wanted, data_waits, now_ns);
  const uint32_t repairs = pending_end_;
  // Neither kind of data waits for the other: each has half of what may go if both want more, and
  // an odd one by turns, for a pacer may let go one at a time.
  const uint64_t left = wanted - repairs;
  const bool both = !links_.recoverable.empty() || stalled_begin_ != stalled_end_;
  odd_is_unreliable_ = !odd_is_unreliable_;
  take_data(links_.unreliable, both ? (left + (odd_is_unreliable_ ? 1 : 0)) / 2 : left, false,
            now_ns);
  if (view_ != nullptr && allowance != 0) {
    take_ordered(std::min(wanted - pending_end_, allowance), now_ns);
  } else if (allowance != 0) {
    take_data(links_.recoverable, std::min(wanted - pending_end_, allowance), true, now_ns);
  } else if (!links_.recoverable.empty()) {
    sender_.note_closed();
  }
  if (pending_end_ != repairs) {
    sender_.sent_data(pending_end_ - repairs);
  } else if (data_waits && sender_.repairs_wait()) {
    // Data of which nothing may go earns repairs no share, and may be waiting for them: a view that
    // ends lets none go before its members hold what they miss, and they hold the buffers.
    take_repairs(wanted, false, now_ns);
  }
  for (uint32_t i = 0; i < pending_end_; ++i) {
    core_.seal(frame_of(pending_[i]), pending_[i]->data_len);
  }
  packets_ += pending_end_;
  pacer_.spend(pending_end_);
}

void RateControlStage::take_repairs(uint64_t most, bool data_waits, uint64_t now_ns) {
  for (uint64_t tries = sender_.repairs_waiting(); tries != 0 && pending_end_ < most; --tries) {
    const auto repair = sender_.next_repair(data_waits);
    if (!repair) return;
    rte_mbuf* m = mbuf_of(repair->packet);
    if (rte_mbuf_refcnt_read(m) != 1) {
      // A port is still reading it: it must not change. A driver may look only when it is asked.
      sender_.postpone(repair->position);
      rte_eth_tx_done_cleanup(port_, 0, 0);
      continue;
    }
    // Not by the keep flag, as data is: it may be released before the port has it, where newcomers
    // are given what is retained and the data behind it needs the room.
    m->ol_flags &= ~keep_flag_;
    rte_mbuf_refcnt_set(m, 2);
    set_length(m, core_.lay_repair(frame_of(m), info_of(m), repair->position, now_ns));
    sender_.repaired(repair->position, now_ns);
    pending_[pending_end_++] = m;
  }
}

// Pulls publications and makes frames of them: headers before the payload that the application
// wrote in place, pad behind it.
void RateControlStage::take_data(Link& link, uint64_t most, bool recoverable, uint64_t now_ns) {
  const uint32_t first = pending_end_;
  pending_end_ += link.pull(pending_.data() + first, static_cast<uint32_t>(most));
  for (uint32_t i = first; i < pending_end_; ++i) {
    __builtin_prefetch(&info_of(pending_[i]));
    __builtin_prefetch(frame_of(pending_[i]), 1);
    __builtin_prefetch(frame_of(pending_[i]) + base::kCacheLineBytes, 1);
  }
  for (uint32_t i = first; i < pending_end_; ++i) {
    rte_mbuf* m = pending_[i];
    const endpoint::PacketInfo& info = info_of(m);
    const size_t bytes = core_.lay(frame_of(m), info, now_ns);
    set_length(m, bytes);
    messages_ += endpoint::messages_begun(info);
    application_bytes_ += endpoint::application_bytes(info);
    if (!recoverable) continue;
    retain(m);
    stability_.sent(
        sender_.sent(handle_of(m), static_cast<uint32_t>(bytes), now_ns, Releaser(pool_)), false);
  }
  if (recoverable && sender_.receivers().admitted() == 0) sender_.release(Releaser(pool_));
}

// --- with membership -----------------------------------------------------------------------------

// Marks go ahead of data, in the part of the window that data leaves free.
void RateControlStage::take_marks(uint64_t most, uint64_t now_ns) {
  while (pending_end_ < most && view_->marks_due()) {
    rte_mbuf* m = rte_pktmbuf_alloc(pool_);
    if (m == nullptr) return;
    view_->write_marks(m, frame_of(m) + core_.payload_offset(), core_.room_bytes());
    if (!frame_ordered(m, now_ns)) return rte_pktmbuf_free(m);
    pending_[pending_end_++] = m;
    view_->poll(now_ns, true);
  }
}

void RateControlStage::take_resumed(uint64_t most, uint64_t now_ns) {
  for (; most != 0 && view_->resumes() && view_->allowance() != 0; --most) {
    rte_mbuf* m = rte_pktmbuf_alloc(pool_);
    if (m == nullptr) return;
    view_->write_resumed(m, frame_of(m) + core_.payload_offset(wire::Kind::kFragment));
    if (!frame_ordered(m, now_ns)) return rte_pktmbuf_free(m);
    view_->resumed();
    pending_[pending_end_++] = m;
  }
}

// Recoverable packets in their order; the first that is ordered and may not go holds the rest back.
void RateControlStage::take_ordered(uint64_t most, uint64_t now_ns) {
  if (view_->resumes()) [[unlikely]] {
    const uint32_t before = pending_end_;
    take_resumed(most, now_ns);
    most -= pending_end_ - before;
  }
  uint32_t ordered_left = view_->resumes() ? 0 : view_->allowance();
  for (; most != 0; --most) {
    if (stalled_begin_ == stalled_end_) {
      stalled_begin_ = 0;
      stalled_end_ = links_.recoverable.pull(stalled_.data(), static_cast<uint32_t>(most));
      if (stalled_end_ == 0) return;
    }
    rte_mbuf* m = stalled_[stalled_begin_];
    const endpoint::PacketInfo& info = info_of(m);
    if (info.qos >= wire::Qos::kTotallyOrdered) {
      if (ordered_left == 0) return;
      const auto rel_seq = frame_ordered(m, now_ns);
      if (!rel_seq) return;
      stability_.sent(*rel_seq, true);
      --ordered_left;
    } else {
      const size_t bytes = core_.lay(frame_of(m), info, now_ns);
      set_length(m, bytes);
      retain(m);
      stability_.sent(
          sender_.sent(handle_of(m), static_cast<uint32_t>(bytes), now_ns, Releaser(pool_)), false);
    }
    messages_ += endpoint::messages_begun(info);
    application_bytes_ += endpoint::application_bytes(info);
    pending_[pending_end_++] = m;
    ++stalled_begin_;
  }
}

// Its rel_seq. Nothing: no mbuf for what comes back to this endpoint in its order; nothing has been
// done.
std::optional<uint64_t> RateControlStage::frame_ordered(rte_mbuf* m, uint64_t now_ns) {
  rte_mbuf* const copy = rte_pktmbuf_alloc(pool_);
  if (copy == nullptr) return std::nullopt;
  const endpoint::PacketInfo& info = info_of(m);
  const size_t bytes = core_.lay(frame_of(m), info, now_ns);
  set_length(m, bytes);
  retain(m);
  const uint64_t rel_seq =
      sender_.sent(handle_of(m), static_cast<uint32_t>(bytes), now_ns, Releaser(pool_));
  view_->sent(info, frame_of(m) + core_.payload_offset(info.kind), copy, rel_seq, now_ns);
  return rel_seq;
}

uint16_t RateControlStage::offer(rte_mbuf** frames, uint16_t count) {
  if (tap_ != nullptr) [[unlikely]]
    return tap_->transmit(port_, 0, frames, count);
  return rte_eth_tx_burst(port_, 0, frames, count);
}

}  // namespace lambdacast::dataplane
