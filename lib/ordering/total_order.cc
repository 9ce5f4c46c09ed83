// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/total_order.h"

#include <algorithm>

#include "wire/control/view_control.h"

namespace lambdacast::ordering {

TotalOrder::TotalOrder(const TotalOrderConfig& config, OrderHost& host)
    : config_(config),
      view_(config.max_peers + 1, config),
      acks_(wire::kMaxMembers),
      held_(config, host),
      queues_(config, view_, acks_, held_, host),
      engines_(config, view_, acks_, held_, queues_, host),
      end_(config, view_, acks_, held_, queues_, engines_, host) {}

// --- content and marks ---------------------------------------------------------------------------

void TotalOrder::accept(size_t stream, uint64_t rel_seq, uint32_t group, wire::Qos qos,
                        uint32_t messages, PacketHandle packet) {
  Held held{};
  held.packet = packet;
  held.rel_seq = rel_seq;
  held.domain = domain_of(group);
  held.messages = messages;
  held.stream = static_cast<uint32_t>(stream);
  held.state = qos == wire::Qos::kSourceOrdered ? State::kFollows : State::kUnmarked;
  held.qos = qos;
  keep(held);
}

void TotalOrder::accept_marks(size_t stream, uint64_t rel_seq, uint32_t group,
                              PacketHandle packet) {
  Held held{};
  if (group == wire::kPassGroup) held.marker = kRing;
  held.packet = packet;
  held.rel_seq = rel_seq;
  held.stream = static_cast<uint32_t>(stream);
  held.state = State::kMarks;
  keep(held);
}

void TotalOrder::keep(const Held& held) {
  const uint32_t at = held_.add(held);
  if (view_.runs()) engines_.link(at);
}

void TotalOrder::advance() {
  if (!view_.runs()) return;
  engines_.apply(now_ns_);
  if (held_.settled()) release_stable();
}

// --- delivery ------------------------------------------------------------------------------------

uint64_t TotalOrder::ack_lag(size_t member) const {
  if (member >= acks_.members()) return 0;
  uint64_t most = 0;
  for (size_t marker = 0; marker < kMarkers; ++marker) {
    if (marker == acks_.members()) marker = kRing;
    const uint64_t here = applied(marker);
    const uint64_t there = acks_.of(member, marker);
    if (here > there) most = std::max(most, here - there);
  }
  return most;
}

TotalOrder::Ring TotalOrder::ring() const {
  const auto& ring = engines_.ring();
  if (!ring) return {};
  Ring out{.is = true, .max_n = acks_.max_n(), .counters = ring->counters()};
  if (view_.members() == 0) return out;
  out.pass = ring->pass();
  out.site = ring->site(ring->pass() + 1);
  out.rests = ring->rests();
  return out;
}

void TotalOrder::poll() {
  if (!offers_again()) return;
  queues_.retry();
  if (!view_.ends()) return release_stable();
  if (end_.try_begin()) advance();
}

// --- what nobody needs any more ------------------------------------------------------------------

bool TotalOrder::stable(const Held& held) const {
  if (held.state != State::kDelivered && held.state != State::kApplied) return false;
  return held.stream == config_.max_peers || held.mark <= acks_.stable(held.marker);
}

// Streams are released from the front. With a ring that is not enough: the passes by which the
// token came to rest are not stable before it goes on, which may be never, and a pass may wait for
// content of a domain whose sequencer has not marked it. Neither holds up what stands behind it.
void TotalOrder::release_stable() {
  held_.look();
  for (const size_t stream : view_.streams()) {
    held_.drop_while(stream, [this](const Held& held) { return stable(held); });
    if (engines_.ring() && held_.crowded(stream))
      held_.sift(stream, [this](uint32_t at) { return !stable(held_[at]); });
  }
}

void TotalOrder::abandon() {
  queues_.give_up();
  view_.give_up();
  clear();
}

void TotalOrder::clear() {
  for (size_t stream = 0; stream < held_.streams(); ++stream) held_.drop_all(stream);
  queues_.clear();
  engines_.clear();
}

}  // namespace lambdacast::ordering
