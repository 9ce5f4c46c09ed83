// SPDX-License-Identifier: BSD-3-Clause
#include "order_application.h"

#include <algorithm>
#include <cstring>

#include "base/random.h"
#include "order.h"

namespace lambdacast::bench {

struct OrderApplication::Sink : node::DeliverySink {
  explicit Sink(OrderApplication& application) : application_(application) {}
  void message(const node::PacketInfo& info, std::span<const uint8_t> message) {
    application_.take(info, message);
  }
  void gap(const node::GapEvent& gap) { application_.lost_.add(gap.count); }
  void view(const node::ViewEvent&) {
    application_.views_.add(1);
    application_.view_began_ns_.store(application_.clock_.now_ns(), std::memory_order_relaxed);
  }
  OrderApplication& application_;
};

OrderApplication::OrderApplication(rack::Endpoint& endpoint, OrderRun& run, uint32_t node,
                                   const dpdk::TscClock& clock)
    : run_(run),
      node_(node),
      endpoint_(endpoint),
      clock_(clock),
      burst_(burst_of(endpoint)),
      loans_(endpoint),
      next_of_(size_t{run.nodes} * run.groups),
      digest_of_(endpoint.config().membership.order.domains),
      message_(run.payload_bytes) {}

OrderApplication::~OrderApplication() = default;

uint32_t OrderApplication::poll(uint64_t now_ns) {
  // Before the phase, which control sets first: nothing is published for an older one.
  const uint32_t senders = run_.senders.load(std::memory_order_acquire);
  if (const uint32_t phase = run_.phase.load(std::memory_order_acquire); phase != phase_) {
    phase_ = phase;
    next_sequence_ = 0;
    for (size_t i = 0; i < next_of_.size(); ++i) next_of_[i] = i % run_.groups;
  }
  const uint32_t got = endpoint_.take_deliveries(burst_, Sink(*this));
  return got + ((senders >> node_ & 1) != 0 ? publish(now_ns) : 0);
}

void OrderApplication::take(const node::PacketInfo& info, std::span<const uint8_t> message) {
  OrderStamp stamp;
  if (message.size() != run_.payload_bytes) return wrong_.add(1);
  std::memcpy(&stamp, message.data(), sizeof stamp);
  if (stamp.sender >= run_.nodes) return wrong_.add(1);
  if (stamp.phase != phase_) return;
  delivered_.add(1);
  if (info.qos >= wire::Qos::kSourceOrdered) {
    uint64_t& next = next_of_[stamp.sender * run_.groups + stamp.sequence % run_.groups];
    if (stamp.sequence != next) out_of_order_.add(1);
    next = stamp.sequence + run_.groups;
  }
  if (info.qos >= wire::Qos::kTotallyOrdered) {
    uint64_t& digest = digest_of_[info.domain];
    digest = base::mix64(digest ^ info.epoch ^ base::mix64(info.index) ^
                         base::mix64(stamp.sequence << 6 | stamp.sender));
    if (info.epoch != epoch_.load(std::memory_order_relaxed)) {
      epoch_began_ns_.store(clock_.now_ns(), std::memory_order_relaxed);
      epoch_.store(info.epoch, std::memory_order_release);
    }
  }
  const bool third = node_ != stamp.sender && (node_ != run_.sequencer || run_.nodes == 2);
  if (!third || !run_.measuring.load(std::memory_order_relaxed)) return;
  const uint64_t now_ns = clock_.now_ns();
  latency_ns_.record(now_ns > stamp.sent_ns ? now_ns - stamp.sent_ns : 0);
}

uint64_t OrderApplication::digest() const {
  uint64_t all = 0;
  for (const uint64_t digest : digest_of_) all = base::mix64(all ^ digest);
  return all;
}

uint32_t OrderApplication::publish(uint64_t now_ns) {
  const uint64_t rate = run_.rate.load(std::memory_order_relaxed);
  if (rate != pacer_rate_) {
    pacer_rate_ = rate;
    pacer_ = rate_control::Pacer({rate, 4});
  }
  const auto most = static_cast<uint32_t>(std::min<uint64_t>(burst_, pacer_.allowance(now_ns)));
  if (most == 0) return 0;
  const wire::Qos level = run_.level.load(std::memory_order_relaxed);
  const uint32_t taken =
      run_.coalesce ? publish_shared(most, level, now_ns) : publish_packets(most, level);
  next_sequence_ += taken;
  published_.add(taken);
  pacer_.spend(taken);
  return taken;
}

// In place, a packet each.
uint32_t OrderApplication::publish_packets(uint32_t most, wire::Qos level) {
  OrderStamp stamp{node_, phase_, next_sequence_, clock_.now_ns()};
  return loans_.publish_now(most, [&](dpdk::Loan& loan) {
    std::memcpy(loan.payload(), &stamp, sizeof stamp);
    const auto group = static_cast<uint32_t>(stamp.sequence++ % run_.groups);
    (void)loan.describe(run_.payload_bytes, kOrderGroup + group, level);
  });
}

uint32_t OrderApplication::publish_shared(uint32_t most, wire::Qos level, uint64_t now_ns) {
  uint32_t taken = 0;
  const uint64_t sent_ns = clock_.now_ns();
  for (; taken < most; ++taken) {
    const OrderStamp stamp{node_, phase_, next_sequence_ + taken, sent_ns};
    std::memcpy(message_.data(), &stamp, sizeof stamp);
    const auto group = static_cast<uint32_t>(stamp.sequence % run_.groups);
    if (endpoint_.publisher().send(message_, kOrderGroup + group, level, now_ns) !=
        node::SendResult::kSent) {
      break;
    }
  }
  return taken;
}

}  // namespace lambdacast::bench
