// SPDX-License-Identifier: BSD-3-Clause
#include "throughput_application.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace lambdacast::bench {
namespace {

// A message begins and ends with its sequence, as far as it has room for it.
bool holds_sequence(size_t bytes) { return bytes >= sizeof(uint64_t); }

}  // namespace

ThroughputSender::ThroughputSender(rack::Endpoint& endpoint, const ThroughputOptions& options,
                                   const Credit* credit)
    : endpoint_(endpoint),
      fill_(options.fill),
      qos_(options.pair.qos.qos),
      lends_(!options.coalesce && options.payload_bytes <= endpoint.max_loan_bytes()),
      message_(options.payload_bytes),
      throttle_(credit, kSenderNode, options.pace.rate(), burst_of(endpoint)),
      loans_(endpoint) {
  for (size_t i = 0; i < message_.size(); ++i) message_[i] = static_cast<uint8_t>(i);
}

uint32_t ThroughputSender::poll(uint64_t now_ns) {
  uint64_t quota = quota_.load(std::memory_order_relaxed);
  if (!outgoing_.done()) quota = std::max(quota, messages_.get() + 1);  // what was begun is ended
  if (quota <= messages_.get()) return 0;
  // The window counts packets. A message is at most one of them if it shares one; those of a long
  // one wait in a link that is short against the window.
  const uint64_t allowance =
      std::min(throttle_.allowance(endpoint_.sent_packets(), now_ns), quota - messages_.get());
  if (allowance == 0) return 0;
  const uint32_t sent = lends_ ? publish(allowance) : send(allowance, now_ns);
  messages_.add(sent);
  throttle_.spend(sent);
  return sent;
}

uint32_t ThroughputSender::publish(uint64_t most) {
  return loans_.publish(most, [this](dpdk::Loan& loan) {
    if (fill_ == Fill::kEach) {
      write_next();
      std::memcpy(loan.payload(), message_.data(), message_.size());
    }
    // Longer messages are sent, not lent.
    (void)loan.describe(message_.size(), kMessageGroup, qos_);
  });
}

uint32_t ThroughputSender::send(uint64_t most, uint64_t now_ns) {
  most = std::min<uint64_t>(most, kSendBatch);
  uint32_t sent = 0;
  while (sent < most) {
    if (outgoing_.done()) {
      if (fill_ == Fill::kEach) write_next();
      outgoing_ = node::Outgoing(message_, kMessageGroup, qos_);
    }
    if (endpoint_.publisher().send(outgoing_, now_ns) != node::SendResult::kSent) break;
    ++sent;
  }
  return sent;
}

void ThroughputSender::write_next() {
  if (holds_sequence(message_.size())) {
    base::store_be64(message_.data(), next_);
    base::store_be64(message_.data() + message_.size() - sizeof next_, next_);
  }
  ++next_;
}

ThroughputReceiver::ThroughputReceiver(rack::Endpoint& endpoint, const ThroughputOptions& options,
                                       Credit* credit)
    : endpoint_(endpoint),
      payload_bytes_(options.payload_bytes),
      checks_(options.fill == Fill::kEach),
      burst_(burst_of(endpoint)),
      credit_(credit) {
  intervals_.reserve(kMostIntervals + 1);
}

uint32_t ThroughputReceiver::poll(uint64_t now_ns) {
  uint64_t messages = 0;
  const uint32_t got = endpoint_.take_deliveries(
      burst_, node::MessageSink([&](const node::PacketInfo&, std::span<const uint8_t> message) {
        ++messages;
        bytes_ += message.size();
        if (checks_) check(message);
      }));
  if (got != 0) {
    messages_.add(messages);
    last_ns_ = now_ns;
  }
  if (credit_ != nullptr) give_credit();
  if (now_ns >= next_interval_ns_ && intervals_.size() < kMostIntervals) [[unlikely]] {
    intervals_.push_back({now_ns, messages_.get(), bytes_});
    next_interval_ns_ = now_ns + kIntervalNs;
  }
  return got;
}

// For the frames that have left the ring, whatever has become of them.
void ThroughputReceiver::give_credit() {
  const uint64_t received = endpoint_.received_frames();
  if (received == credited_) return;
  credited_ = received;
  credit_->taken(kReceiverNode, kSenderNode, received);
}

void ThroughputReceiver::begin_intervals(uint64_t now_ns) {
  intervals_.clear();
  next_interval_ns_ = now_ns;
}

void ThroughputReceiver::end_intervals(uint64_t now_ns) {
  intervals_.push_back({now_ns, messages_.get(), bytes_});
  next_interval_ns_ = ~uint64_t{0};
}

void ThroughputReceiver::check(std::span<const uint8_t> message) {
  bool right = message.size() == payload_bytes_;
  if (right && holds_sequence(message.size())) {
    const uint64_t sequence = base::load_be64(message.data());
    right = sequence >= next_ &&
            base::load_be64(message.data() + message.size() - sizeof sequence) == sequence;
    if (right) next_ = sequence + 1;
  }
  if (!right) [[unlikely]]
    ++wrong_content_;
}

}  // namespace lambdacast::bench
