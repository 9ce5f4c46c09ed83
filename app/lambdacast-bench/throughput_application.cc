#include "throughput_application.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace lambdacast::app {
namespace {

uint32_t burst_of(const dataplane::Endpoint& endpoint) {
  return std::min(endpoint.config().burst, dataplane::kMaxBurst);
}

// A message begins and ends with its sequence, as far as it has room for it.
bool holds_sequence(size_t bytes) { return bytes >= sizeof(uint64_t); }

}  // namespace

ThroughputSender::ThroughputSender(dataplane::Endpoint& endpoint, const ThroughputOptions& options,
                                   const Credit* credit)
    : endpoint_(endpoint),
      payload_bytes_(options.payload_bytes),
      fill_(options.fill),
      burst_(burst_of(endpoint)),
      pattern_(options.payload_bytes),
      pacer_({options.pace.kind == Pace::Kind::kRate ? options.pace.per_second : 0,
              burst_of(endpoint)}) {
  for (size_t i = 0; i < pattern_.size(); ++i) pattern_[i] = static_cast<uint8_t>(i);
  if (credit != nullptr) window_.emplace(*credit, kSenderNode);
}

ThroughputSender::~ThroughputSender() { endpoint_.give_back({loans_.data(), loans_count_}); }

uint32_t ThroughputSender::poll(uint64_t now_ns) {
  const uint64_t quota = quota_.load(std::memory_order_relaxed);
  if (quota <= messages_.get()) return 0;
  const uint64_t allowance = std::min(allowed(now_ns), quota - messages_.get());
  if (allowance == 0) return 0;
  if (loans_count_ == 0) refill();
  const auto wanted = static_cast<uint32_t>(std::min<uint64_t>(loans_count_, allowance));
  const uint32_t published = endpoint_.publish({loans_.data(), wanted});
  std::copy(loans_.begin() + published, loans_.begin() + loans_count_, loans_.begin());
  loans_count_ -= published;
  messages_.add(published);
  pacer_.spend(published);
  return published;
}

uint64_t ThroughputSender::allowed(uint64_t now_ns) {
  return window_ ? window_->allowance(messages_.get(), now_ns) : pacer_.allowance(now_ns);
}

void ThroughputSender::refill() {
  loans_count_ = endpoint_.loan({loans_.data(), burst_});
  for (uint32_t i = 0; i < loans_count_; ++i) {
    if (fill_ == Fill::kEach) fill(loans_[i]);
    // The options have been checked: it fits.
    (void)loans_[i].describe(payload_bytes_, kMessageGroup, wire::Qos::kUnreliable);
  }
}

void ThroughputSender::fill(const dataplane::Loan& loan) {
  if (holds_sequence(payload_bytes_)) {
    base::store_be64(pattern_.data(), next_);
    base::store_be64(pattern_.data() + payload_bytes_ - sizeof next_, next_);
  }
  ++next_;
  std::memcpy(loan.payload(), pattern_.data(), payload_bytes_);
}

ThroughputReceiver::ThroughputReceiver(dataplane::Endpoint& endpoint,
                                       const ThroughputOptions& options, Credit* credit)
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
      burst_, [&](const endpoint::PacketInfo&, std::span<const uint8_t> message) {
        ++messages;
        bytes_ += message.size();
        if (checks_) check(message);
      });
  if (got != 0) {
    messages_.add(messages);
    last_ns_ = now_ns;
    // Frames that have left its ring, whatever has become of them.
    if (credit_ != nullptr) {
      credit_->taken(kReceiverNode, kSenderNode, endpoint_.receive().counters().received);
    }
  }
  if (now_ns >= next_interval_ns_ && intervals_.size() < kMostIntervals) [[unlikely]] {
    intervals_.push_back({now_ns, messages_.get(), bytes_});
    next_interval_ns_ = now_ns + kIntervalNs;
  }
  return got;
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

}  // namespace lambdacast::app
