// SPDX-License-Identifier: BSD-3-Clause
// Bodies of groups.h, for the sources that instantiate a node.
#pragma once

#include <algorithm>

#include "node/groups.h"

namespace lambdacast::node {

[[nodiscard]] inline group::Result result_of(SendResult sent) {
  switch (sent) {
    case SendResult::kSent:
      return group::Result::kOk;
    case SendResult::kAgain:
      return group::Result::kAgain;
    case SendResult::kTooLong:
      return group::Result::kTooLong;
    case SendResult::kNotInView:
      return group::Result::kNotInView;
  }
  return group::Result::kAgain;
}

template <typename Env>
Groups<Env>::Groups(const Config& config, const PeerTable& peers, Publisher<Env>& publisher,
                    ordering::Subscriptions& subscriptions)
    : self_(config.core.self),
      peers_(peers),
      publisher_(publisher),
      subscriptions_(subscriptions),
      layer_(config.core, static_cast<group::Carrier&>(*this)) {
  short_.reserve(publisher.max_loan_bytes());
}

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
  send_the_rest();
  layer_.poll(now_ns, drained);
}

template <typename Env>
bool Groups<Env>::say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) {
  return outgoing_.done() && publisher_.send_group(payload, group, qos) == SendResult::kSent;
}

template <typename Env>
group::Result Groups<Env>::publish(std::span<const uint8_t> message, uint32_t group,
                                   wire::Qos qos) {
  if (!outgoing_.done()) return group::Result::kAgain;
  if (message.size() <= publisher_.max_loan_bytes())
    return result_of(publisher_.send(message, group, qos, now_ns_));
  return begin_long({}, message, group, qos, wire::Kind::kData, long_, outgoing_);
}

template <typename Env>
group::Result Groups<Env>::request(std::span<const uint8_t> envelope,
                                   std::span<const uint8_t> message, uint32_t group,
                                   wire::Qos qos) {
  if (!outgoing_.done()) return group::Result::kAgain;
  if (envelope.size() + message.size() > publisher_.max_loan_bytes())
    return begin_long(envelope, message, group, qos, wire::Kind::kRequest, long_, outgoing_);
  short_.assign(envelope.begin(), envelope.end());
  short_.insert(short_.end(), message.begin(), message.end());
  return result_of(publisher_.send_request(short_, group, qos));
}

// Answers of several packets go out beside publications, so that neither waits for the other.
template <typename Env>
group::Result Groups<Env>::answer(std::span<const uint8_t> envelope,
                                  std::span<const uint8_t> message, uint32_t group) {
  constexpr wire::Qos kReliable = wire::Qos::kReliable;
  if (envelope.size() + message.size() > publisher_.max_loan_bytes()) {
    if (!outgoing_answer_.done()) return group::Result::kAgain;
    return begin_long(envelope, message, group, kReliable, wire::Kind::kRequest, long_answer_,
                      outgoing_answer_);
  }
  short_.assign(envelope.begin(), envelope.end());
  short_.insert(short_.end(), message.begin(), message.end());
  return result_of(publisher_.send_request(short_, group, kReliable));
}

template <typename Env>
group::Result Groups<Env>::begin_long(std::span<const uint8_t> head,
                                      std::span<const uint8_t> message, uint32_t group,
                                      wire::Qos qos, wire::Kind kind, std::vector<uint8_t>& copy,
                                      Outgoing& outgoing) {
  if (head.size() + message.size() > publisher_.max_message_bytes()) return group::Result::kTooLong;
  if (!publisher_.takes(qos)) return group::Result::kNotInView;
  copy.assign(head.begin(), head.end());
  copy.insert(copy.end(), message.begin(), message.end());
  outgoing = Outgoing(copy, group, qos, kind);
  send_the_rest();
  return group::Result::kOk;
}

// Out of the view what is left of them goes nowhere.
template <typename Env>
void Groups<Env>::send_the_rest() {
  for (Outgoing* const each : {&outgoing_, &outgoing_answer_}) {
    if (!each->done() && publisher_.send(*each, now_ns_) == SendResult::kNotInView) *each = {};
  }
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
