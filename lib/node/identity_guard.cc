// SPDX-License-Identifier: BSD-3-Clause
#include "node/identity_guard.h"

#include <algorithm>

namespace lambdacast::node {

// A pause of listen ends what came without one: in it any endpoint that lives is heard.
void IdentityGuard::note(uint32_t incarnation, uint64_t now_ns) {
  const Heard before = heard_so_far();
  const bool goes_on = before.last_ns != 0 && before.incarnation == incarnation &&
                       now_ns - std::min(now_ns, before.last_ns) < config_.listen_ns;
  if (!goes_on) first_ns_.store(now_ns, std::memory_order_relaxed);
  incarnation_.store(incarnation, std::memory_order_relaxed);
  last_ns_.store(std::max<uint64_t>(now_ns, 1), std::memory_order_release);
}

IdentityGuard::Heard IdentityGuard::heard_so_far() const {
  Heard heard;
  heard.last_ns = last_ns_.load(std::memory_order_acquire);
  heard.incarnation = incarnation_.load(std::memory_order_relaxed);
  heard.first_ns = std::min(first_ns_.load(std::memory_order_relaxed), heard.last_ns);
  return heard;
}

bool IdentityGuard::may_speak(uint64_t now_ns) {
  if (begin_ns_ == 0) begin_ns_ = std::max<uint64_t>(now_ns, 1);
  const Heard other = heard_so_far();
  if (state() == State::kListening) listen(other, now_ns);
  if (state() == State::kSpeaking && other.last_ns > begin_ns_) [[unlikely]]
    watch(other, now_ns);
  return state() == State::kSpeaking;
}

void IdentityGuard::listen(const Heard& other, uint64_t now_ns) {
  if (other.last_ns - other.first_ns >= config_.listen_ns / 4 && other.last_ns != 0) {
    state_.store(State::kLost, std::memory_order_relaxed);
    return tell(other, now_ns);
  }
  if (now_ns - std::min(now_ns, std::max(begin_ns_, other.last_ns)) < config_.listen_ns) return;
  begin_ns_ = now_ns;
  state_.store(State::kSpeaking, std::memory_order_relaxed);
}

// Frames of a life that was before this one have all come while this one listened.
void IdentityGuard::watch(const Heard& other, uint64_t now_ns) {
  const bool older = static_cast<int32_t>(other.incarnation - config_.self.incarnation) < 0;
  const bool newcomer = now_ns - begin_ns_ < config_.patience_ns;
  const uint64_t together_ns = other.last_ns - std::max(other.first_ns, begin_ns_);
  const bool gives_way = older ? newcomer : together_ns >= config_.patience_ns;
  if (gives_way) state_.store(State::kLost, std::memory_order_relaxed);
  const bool lasts = now_ns - std::min(now_ns, other.last_ns) < config_.listen_ns;
  if (gives_way || (lasts && (told_ns_ == 0 || now_ns - told_ns_ >= kTellEveryNs)))
    tell(other, now_ns);
}

void IdentityGuard::tell(const Heard& other, uint64_t now_ns) {
  told_ns_ = now_ns;
  other_ = other.incarnation;
  notices_left_ = kNotices;
  next_notice_ns_ = now_ns;
  DoubleEvent* const slot = events_.begin();
  if (slot == nullptr) return;
  *slot = {config_.self.gid, config_.self.incarnation, other_, true, lost()};
  events_.push();
}

uint64_t IdentityGuard::next_deadline_ns() const {
  if (notices_left_ != 0) return next_notice_ns_;
  if (state() != State::kListening) return ~uint64_t{0};
  return std::max(begin_ns_, last_ns_.load(std::memory_order_relaxed)) + config_.listen_ns;
}

size_t IdentityGuard::next_notice(uint8_t* payload, uint64_t now_ns) {
  if (notices_left_ == 0 || now_ns < next_notice_ns_) return 0;
  --notices_left_;
  next_notice_ns_ = now_ns + config_.listen_ns / 8;
  wire::ControlHeader header;
  header.kind = wire::ControlKind::kDouble;
  header.incarnation = config_.self.incarnation;
  header.data_qpn = config_.self.qpn;
  wire::store_control_header(header, payload);
  wire::store_double(other_, payload);
  return wire::kDoubleBytes;
}

std::optional<DoubleEvent> IdentityGuard::take_event() { return events_.take(); }

}  // namespace lambdacast::node
