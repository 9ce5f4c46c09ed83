// SPDX-License-Identifier: BSD-3-Clause
#include "loss_application.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace lambdacast::bench {

// A node publishes to a group of its own (rack_of() in loss.cc): a delivery's group tells its
// sender.
constexpr uint32_t kFirstGroup = 1;

LossApplication::LossApplication(rack::Endpoint& endpoint, LossRun& run, const Role& role)
    : run_(run),
      node_(role.node),
      quota_(role.quota),
      endpoint_(endpoint),
      burst_(burst_of(endpoint)),
      throttle_(run.credit, role.node, role.publish_rate, endpoint.config().burst),
      take_pacer_({role.take_rate, endpoint.config().burst}),
      loans_(endpoint),
      taken_(run.nodes, 0),
      audits_(run.nodes) {}

uint32_t LossApplication::poll(uint64_t now_ns) {
  const uint32_t got = run_.qos == wire::Qos::kUnreliable ? take(now_ns) : take_recoverable(now_ns);
  if (published_.get() == quota_ || !run_.go.load(std::memory_order_relaxed) ||
      run_.finished.load(std::memory_order_relaxed)) {
    return got;
  }
  return got + publish(now_ns);
}

uint32_t LossApplication::take(uint64_t now_ns) {
  uint64_t wrong = 0;
  uint64_t senders = 0;  // a bit each: nodes are at most 32
  // An overloaded receiver catches up once nobody sends any more.
  const uint64_t most = run_.finished.load(std::memory_order_relaxed)
                            ? burst_
                            : std::min<uint64_t>(burst_, take_pacer_.allowance(now_ns));
  if (most == 0) return 0;
  const auto check = [&](const node::PacketInfo& info, std::span<const uint8_t> payload) {
    const uint32_t sender = info.group - kFirstGroup;
    const uint64_t message = info.frame_seq - run_.first_frame_seq;
    if (sender >= run_.nodes || (payload.size() >= sizeof message &&
                                 base::load_be64(payload.data()) != message)) [[unlikely]] {
      ++wrong;
      return;
    }
    taken_[sender] = std::max(taken_[sender], message + 1);
    senders |= uint64_t{1} << sender;
  };
  const uint32_t got =
      endpoint_.take_deliveries(static_cast<uint32_t>(most), node::MessageSink(check));
  if (got == 0) return 0;
  take_pacer_.spend(got);
  delivered_.add(got);
  last_delivery_ns_.add(now_ns - last_delivery_ns_.get());
  if (wrong != 0) wrong_content_.add(wrong);
  if (run_.credit != nullptr) {
    for (; senders != 0; senders &= senders - 1) {
      const auto sender = static_cast<uint32_t>(__builtin_ctzll(senders));
      run_.credit->taken(node_, sender, taken_[sender]);
    }
  }
  return got;
}

// Judges recoverable messages by their own numbers: repairs make frame sequences and messages
// differ.
struct LossApplication::RecoverableSink : node::DeliverySink {
  explicit RecoverableSink(LossApplication& application) : application_(application) {}
  void message(const node::PacketInfo& info, std::span<const uint8_t> payload) {
    if (application_.audit(info, payload)) ++messages;
  }
  void gap(const node::GapEvent& gap) { application_.declared_lost_.add(gap.count); }
  LossApplication& application_;
  uint64_t messages = 0;
};

// False: none of this run's messages.
bool LossApplication::audit(const node::PacketInfo& info, std::span<const uint8_t> payload) {
  const uint32_t sender = info.group - kFirstGroup;
  if (sender >= run_.nodes || payload.size() != run_.application_bytes) {
    wrong_content_.add(1);
    return false;
  }
  using Finding = MessageAudit::Finding;
  const bool ordered = info.qos != wire::Qos::kReliable;
  switch (audits_[sender].accept(base::load_be64(payload.data()), ordered)) {
    case Finding::kRight:
      break;
    case Finding::kTwice:
      twice_.add(1);
      break;
    case Finding::kOutOfOrder:
      out_of_order_.add(1);
      break;
    case Finding::kTooFar:
      wrong_content_.add(1);
      break;
  }
  return true;
}

uint32_t LossApplication::take_recoverable(uint64_t now_ns) {
  const uint64_t most = std::min<uint64_t>(burst_, take_pacer_.allowance(now_ns));
  if (most == 0) return 0;
  RecoverableSink sink(*this);
  const uint32_t got = endpoint_.take_deliveries(static_cast<uint32_t>(most), sink);
  if (got == 0) return 0;
  take_pacer_.spend(got);
  delivered_.add(sink.messages);
  last_delivery_ns_.add(now_ns - last_delivery_ns_.get());
  return got;
}

uint32_t LossApplication::publish(uint64_t now_ns) {
  const uint64_t allowance =
      std::min(throttle_.allowance(published_.get(), now_ns), quota_ - published_.get());
  if (allowance == 0) return 0;
  const uint32_t published = loans_.publish(allowance, [this](dpdk::Loan& loan) {
    uint8_t number[sizeof(uint64_t)];
    base::store_be64(number, next_message_++);
    std::memcpy(loan.payload(), number, std::min<size_t>(sizeof number, run_.application_bytes));
    // The options have been checked: it fits.
    (void)loan.describe(run_.application_bytes, kFirstGroup + node_, run_.qos);
  });
  published_.add(published);
  throttle_.spend(published);
  return published;
}

}  // namespace lambdacast::bench
