// SPDX-License-Identifier: BSD-3-Clause
// Bodies of groups.h, for the sources that instantiate a node.
#pragma once

#include <algorithm>

#include "node/groups.h"

namespace lambdacast::node {

template <typename Env>
Groups<Env>::Groups(const group::GroupConfig& config, const PeerTable& peers,
                    Publisher<Env>& publisher, ordering::Subscriptions& subscriptions)
    : self_(config.self),
      peers_(peers),
      publisher_(publisher),
      subscriptions_(subscriptions),
      publications_(publisher),
      answers_(publisher),
      layer_(config, static_cast<group::Carrier&>(*this)) {}

template <typename Env>
void Groups<Env>::report(std::vector<LockStatus>& out) const {
  layer_.locks().for_each([&](const group::Lock& lock) {
    if (out.size() == out.capacity()) return;
    LockStatus& status = out.emplace_back();
    status.group = lock.group;
    status.handler = lock.handler;
    status.waiting = lock.queued;
    status.token = {layer_.lineage(), lock.token.epoch, lock.token.place};
    if (lock.held()) status.holder = layer_.nodes()[lock.holder];
    status.own = status.holder == self_;
    if (const group::Group* const group = layer_.directory().find(lock.group))
      std::copy(group->name().begin(), group->name().end(), status.name.begin());
  });
}

template <typename Env>
void Groups<Env>::gap(const GapEvent& gap) {
  layer_.gap({name_of(gap.peer, gap.incarnation), gap.count});
}

template <typename Env>
void Groups<Env>::view(const ViewEvent& event) {
  using What = ViewEvent::What;
  epoch_ = event.id.epoch;
  if (event.what == What::kView) {
    layer_.view(event.id.epoch, event.members, event.stayed);
  } else {
    layer_.out(event.what == What::kLeft ? group::End::kLeft : group::End::kExcluded);
  }
}

template <typename Env>
void Groups<Env>::poll(uint64_t now_ns, bool drained) {
  now_ns_ = now_ns;
  publications_.poll(now_ns);
  answers_.poll(now_ns);
  layer_.poll(now_ns, drained);
}

template <typename Env>
bool Groups<Env>::say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) {
  return publications_.done() && publisher_.send_group(payload, group, qos) == SendResult::kSent;
}

template <typename Env>
group::Result Groups<Env>::publish(std::span<const uint8_t> message, uint32_t group,
                                   wire::Qos qos) {
  return publications_.publish(message, group, qos, now_ns_);
}

template <typename Env>
group::Result Groups<Env>::request(std::span<const uint8_t> envelope,
                                   std::span<const uint8_t> message, uint32_t group,
                                   wire::Qos qos) {
  return publications_.request(envelope, message, group, qos, false, now_ns_);
}

// Answers of several packets go out beside publications, so that neither waits for the other.
template <typename Env>
group::Result Groups<Env>::answer(std::span<const uint8_t> envelope, const group::Content& message,
                                  uint32_t group) {
  return answers_.request(envelope, message, group, wire::Qos::kReliable, true, now_ns_);
}

template <typename Env>
bool Groups<Env>::subscribe(uint32_t group) {
  return subscriptions_.subscribe(group);
}

template <typename Env>
void Groups<Env>::unsubscribe(uint32_t group) {
  subscriptions_.unsubscribe(group);
}

}  // namespace lambdacast::node
