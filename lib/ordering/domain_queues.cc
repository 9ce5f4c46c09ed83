// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/domain_queues.h"

#include <algorithm>

namespace lambdacast::ordering {

using State = Held::State;

DomainQueues::DomainQueues(const TotalOrderConfig& config, const OrderView& view,
                           const Acknowledgements& acks, HeldPackets& held, OrderHost& host)
    : view_(view),
      acks_(acks),
      held_(held),
      host_(host),
      rate_domain_(config.domains),
      domains_(config.domains + 1),
      waiting_(kMarkers),
      blocked_(config.domains + 1) {
  for (auto& waiting : waiting_) waiting.reserve(config.domains);
}

void DomainQueues::mark(uint32_t at, uint64_t position) {
  Held& held = held_[at];
  Domain& domain = domains_[held.domain];
  held.state = State::kMarked;
  held.mark = position;
  if (held.domain == rate_domain_) {
    host_.rates(held.stream, held.packet);
    return held_.settle(at);
  }
  held.index = domain.next_index;
  domain.next_index += held.messages;
  const bool first = domain.queue.empty() && !view_.ends() && !refused_;
  if (first && position <= acks_.reached(held.marker, held.qos) && deliver(at))
    return deliver_behind(at);
  held_.push(domain.queue, at);
  if (domain.waiting) return;
  domain.waiting = true;
  waiting_[held.marker].push_back(held.domain);
}

void DomainQueues::drain(size_t marker) {
  std::vector<uint32_t>& waiting = waiting_[marker];
  for (size_t i = 0; i < waiting.size() && !refused_;) {
    if (!drain_domain(waiting[i])) {
      ++i;
      continue;
    }
    domains_[waiting[i]].waiting = false;
    waiting[i] = waiting.back();
    waiting.pop_back();
  }
}

void DomainQueues::drain_all() {
  for (size_t marker = 0; marker < kMarkers && !refused_; ++marker) drain(marker);
}

// True: nothing of the domain waits any more.
bool DomainQueues::drain_domain(uint32_t number) {
  Domain& domain = domains_[number];
  while (!domain.queue.empty()) {
    const Held& held = held_[domain.queue.first];
    if (!view_.ends() && held.mark > acks_.reached(held.marker, held.qos)) return false;
    if (!deliver(domain.queue.first)) return false;
    deliver_behind(held_.pop(domain.queue));
    if (refused_) return false;
  }
  return true;
}

bool DomainQueues::deliver(uint32_t at, bool last_call) {
  Held& held = held_[at];
  const bool ordered = held.state == State::kMarked;
  if (!host_.deliver(held.packet,
                     {held.stream, held.rel_seq, ordered ? view_.epoch() : 0, held.index,
                      held.domain, held.qos, held.marker, held.mark, last_call})) {
    refused_ = true;
    return false;
  }
  if (!ordered) held.mark = 0;  // nobody else needs it
  held_.settle(at);
  ++delivered_;
  if (view_.ends()) ++recovered_;
  return true;
}

// Source ordered packets that waited for the one delivered.
void DomainQueues::deliver_behind(uint32_t at) {
  const Held& delivered = held_[at];
  if (held_.following(delivered.stream) == 0) return;
  while ((at = held_[at].next_in_stream) != HeldPackets::kNone) {
    if (held_[at].domain != delivered.domain) continue;
    if (held_[at].blocks()) return;
    if (held_[at].state == State::kFollows && !deliver(at)) return;
  }
}

// Those of the whole stream that wait for nothing.
void DomainQueues::deliver_followers(size_t stream) {
  if (held_.following(stream) == 0) return;
  ++pass_;
  for (uint32_t at = held_.first(stream); at != HeldPackets::kNone; at = held_[at].next_in_stream) {
    const Held& held = held_[at];
    if (held.blocks()) blocked_[held.domain] = pass_;
    if (held.state == State::kFollows && blocked_[held.domain] != pass_ && !deliver(at)) return;
  }
}

void DomainQueues::retry() {
  refused_ = false;
  for (size_t stream = 0; stream < held_.streams() && !refused_; ++stream)
    deliver_followers(stream);
  drain_all();
}

bool DomainQueues::idle() const {
  const auto empty = [](const std::vector<uint32_t>& waiting) { return waiting.empty(); };
  return !refused_ && std::all_of(waiting_.begin(), waiting_.end(), empty);
}

void DomainQueues::give_up() {
  for (size_t stream = 0; stream < held_.streams(); ++stream) {
    for (uint32_t at = held_.first(stream); at != HeldPackets::kNone;
         at = held_[at].next_in_stream) {
      if (held_[at].state == State::kFollows) deliver(at, true);
    }
  }
  refused_ = false;
}

void DomainQueues::clear() {
  for (Domain& domain : domains_) domain = {};
  for (auto& waiting : waiting_) waiting.clear();
}

}  // namespace lambdacast::ordering
