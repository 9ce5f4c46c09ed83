// SPDX-License-Identifier: BSD-3-Clause
// Sends messages of the group and request layers for a node: those that fit a packet at once, a
// longer one packet by packet as there is room, from a copy or from where its owner has it.
//
// The application's thread owns it, as it owns the publisher.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "group/handlers.h"
#include "node/publisher.h"

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
class Outlet {
 public:
  explicit Outlet(Publisher<Env>& publisher) : publisher_(publisher) {
    short_.reserve(publisher.max_loan_bytes());
  }

  // A message of several packets is on its way no more.
  [[nodiscard]] bool done() const { return outgoing_.done(); }
  [[nodiscard]] const Outgoing& outgoing() const { return outgoing_; }

  // A message of the application. kAgain: there is no room, or a longer one is on its way.
  [[nodiscard]] group::Result publish(std::span<const uint8_t> message, uint32_t group,
                                      wire::Qos qos, uint64_t now_ns) {
    if (!done()) return group::Result::kAgain;
    if (message.size() <= publisher_.max_loan_bytes())
      return result_of(publisher_.send(message, group, qos, now_ns));
    return begin({}, message, group, qos, wire::Kind::kData, now_ns);
  }

  // A message of the request layer: an envelope, and what stands behind it. One that fits a packet
  // does not wait for a longer one if `overtakes`.
  [[nodiscard]] group::Result request(std::span<const uint8_t> envelope,
                                      const group::Content& message, uint32_t group, wire::Qos qos,
                                      bool overtakes, uint64_t now_ns) {
    const std::span<const uint8_t> bytes = message.bytes();
    const bool fits = envelope.size() + bytes.size() <= publisher_.max_loan_bytes();
    if (!done() && !(fits && overtakes)) return group::Result::kAgain;
    if (!fits) return begin(envelope, message, group, qos, wire::Kind::kRequest, now_ns);
    short_.assign(envelope.begin(), envelope.end());
    short_.insert(short_.end(), bytes.begin(), bytes.end());
    return result_of(publisher_.send_request(short_, group, qos, now_ns));
  }

  // Sends on. Out of the view the rest goes nowhere.
  void poll(uint64_t now_ns) {
    if (done()) return;
    if (publisher_.send(outgoing_, now_ns) == SendResult::kNotInView) outgoing_ = {};
    if (done()) owner_.reset();
  }

 private:
  [[nodiscard]] group::Result begin(std::span<const uint8_t> head, const group::Content& message,
                                    uint32_t group, wire::Qos qos, wire::Kind kind,
                                    uint64_t now_ns) {
    std::span<const uint8_t> bytes = message.bytes();
    if (head.size() + bytes.size() > publisher_.max_message_bytes()) return group::Result::kTooLong;
    if (!publisher_.takes(qos)) return group::Result::kNotInView;
    head_.assign(head.begin(), head.end());
    owner_ = message.owner();
    if (owner_ == nullptr) {
      long_.assign(bytes.begin(), bytes.end());
      bytes = long_;
    }
    outgoing_ = Outgoing(head_, bytes, group, qos, kind);
    poll(now_ns);
    return group::Result::kOk;
  }

  Publisher<Env>& publisher_;
  std::vector<uint8_t> short_;  // an envelope and its message
  // A message of several packets, as long as it is on its way: what stands in front of it, and the
  // rest as a copy, or what keeps that.
  std::vector<uint8_t> head_;
  std::vector<uint8_t> long_;
  std::shared_ptr<const void> owner_;
  Outgoing outgoing_;  // of it
};

}  // namespace lambdacast::node
