// SPDX-License-Identifier: BSD-3-Clause
// What runs on each node of the order benchmark: publishes numbered, timed messages, takes what is
// delivered, its own included, and keeps a digest of the order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "../harness/sending.h"
#include "base/counter.h"
#include "base/histogram.h"
#include "base/random.h"
#include "dpdk/clock.h"
#include "lock_contender.h"
#include "node/stage.h"
#include "order.h"

namespace lambdacast::bench {

// Shared by the nodes; control writes.
struct OrderRun {
  std::atomic<uint32_t> senders{0};  // a bit for each node that publishes
  std::atomic<uint64_t> rate{0};     // messages a second of each; 0: unlimited
  std::atomic<bool> measuring{false};
  std::atomic<bool> watching{false};  // for the longest silence
  std::atomic<wire::Qos> level{wire::Qos::kUnreliable};
  std::atomic<uint32_t> phase{0};  // messages of another phase are not counted
  uint32_t payload_bytes = 64;
  uint32_t groups = 1;
  bool coalesce = false;
  uint32_t nodes = 0;
  uint32_t sequencer = 0;  // of the benchmark's group
  // The node that is the first to hold a lock for which all others wait; nothing: there is none.
  std::optional<uint32_t> holder;
};

class OrderApplication final : public node::Stage {
 public:
  OrderApplication(rack::Endpoint& endpoint, OrderRun& run, uint32_t node,
                   const dpdk::TscClock& clock)
      : run_(run),
        node_(node),
        endpoint_(endpoint),
        clock_(clock),
        burst_(burst_of(endpoint)),
        loans_(endpoint),
        next_of_(size_t{run.nodes} * run.groups),
        digest_of_(endpoint.config().membership.order.domains),
        message_(run.payload_bytes) {
    sampled_.reserve(kMostSampled);
    if (run.holder) contender_.emplace(endpoint, *run.holder == node, clock);
  }

  [[nodiscard]] const char* name() const override { return "application"; }

  uint32_t poll(uint64_t now_ns) override {
    // Before the phase, which control sets first: nothing is published for an older one.
    const uint32_t senders = run_.senders.load(std::memory_order_acquire);
    if (const uint32_t phase = run_.phase.load(std::memory_order_acquire); phase != phase_) {
      phase_ = phase;
      next_sequence_ = 0;
      for (size_t i = 0; i < next_of_.size(); ++i) next_of_[i] = i % run_.groups;
    }
    const uint32_t got = contender_ ? endpoint_.poll_groups(burst_, now_ns, Sink(*this))
                                    : endpoint_.take_deliveries(burst_, Sink(*this));
    if (contender_) contender_->poll();
    return got + ((senders >> node_ & 1) != 0 ? publish(now_ns) : 0);
  }

  // From any thread. Of the phase.
  [[nodiscard]] uint64_t published() const { return published_.get(); }
  [[nodiscard]] uint64_t delivered() const { return delivered_.get(); }
  [[nodiscard]] uint64_t wrong() const { return wrong_.get(); }
  [[nodiscard]] uint64_t out_of_order() const { return out_of_order_.get(); }
  [[nodiscard]] uint64_t lost() const { return lost_.get(); }
  [[nodiscard]] uint64_t views() const { return views_.get(); }
  // Of the last totally ordered message, and when the first of that view was delivered: by the
  // clock at the beginning of the lcore's loop.
  [[nodiscard]] uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  [[nodiscard]] uint64_t epoch_began_ns() const {
    return epoch_began_ns_.load(std::memory_order_relaxed);
  }
  // When it was told of its last view, likewise.
  [[nodiscard]] uint64_t view_began_ns() const {
    return view_began_ns_.load(std::memory_order_relaxed);
  }

  // OrderRun::holder; else there is none.
  [[nodiscard]] const LockContender& contender() const { return *contender_; }

  // While no lcore runs, or on the node's.
  // Of (epoch, index, sender, sequence) of all that is totally ordered, in the order of its domain.
  [[nodiscard]] uint64_t digest() const {
    uint64_t all = 0;
    for (const uint64_t digest : digest_of_) all = base::mix64(all ^ digest);
    return all;
  }
  // With one group: one more than the last delivered of that sender: all of them, if none is out of
  // order.
  [[nodiscard]] uint64_t delivered_of(uint32_t sender) const { return next_of_[sender]; }
  // At a member that is neither sender nor sequencer.
  [[nodiscard]] const base::Histogram& latency_ns() const { return latency_ns_; }
  // The longest time between two totally ordered messages while it was watched.
  [[nodiscard]] uint64_t silence_ns() const { return silence_ns_; }
  // When some messages of others were delivered here: one in kSampledOneIn, the same everywhere.
  struct Sampled {
    uint64_t message = 0;  // sequence and sender
    uint64_t at_ns = 0;
  };
  [[nodiscard]] const std::vector<Sampled>& sampled() const { return sampled_; }

 private:
  static constexpr uint64_t kSampledOneIn = 16;
  static constexpr size_t kMostSampled = size_t{1} << 17;

  struct Sink : node::DeliverySink {
    explicit Sink(OrderApplication& application) : application_(application) {}
    void message(const node::PacketInfo& info, std::span<const uint8_t> message) {
      application_.take(info, message);
    }
    void gap(const node::GapEvent& gap) { application_.lost_.add(gap.count); }
    void view(const node::ViewEvent&) {
      application_.view_began_ns_.store(application_.clock_.now_ns(), std::memory_order_relaxed);
      application_.views_.add(1);
    }
    OrderApplication& application_;
  };

  void take(const node::PacketInfo& info, std::span<const uint8_t> message) {
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
      watch();
      if (info.epoch != epoch_.load(std::memory_order_relaxed)) {
        epoch_began_ns_.store(clock_.now_ns(), std::memory_order_relaxed);
        epoch_.store(info.epoch, std::memory_order_release);
      }
    }
    if (node_ == stamp.sender || !run_.measuring.load(std::memory_order_relaxed)) return;
    const uint64_t now_ns = clock_.now_ns();
    if (stamp.sequence % kSampledOneIn == 0 && sampled_.size() < kMostSampled)
      sampled_.push_back({stamp.sequence << 6 | stamp.sender, now_ns});
    if (node_ == run_.sequencer && run_.nodes != 2) return;
    latency_ns_.record(now_ns > stamp.sent_ns ? now_ns - stamp.sent_ns : 0);
  }
  void watch() {
    if (!run_.watching.load(std::memory_order_relaxed)) return;
    const uint64_t now_ns = clock_.now_ns();
    if (last_ordered_ns_ != 0) silence_ns_ = std::max(silence_ns_, now_ns - last_ordered_ns_);
    last_ordered_ns_ = now_ns;
  }
  uint32_t publish(uint64_t now_ns) {
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
  [[nodiscard]] uint32_t publish_packets(uint32_t most, wire::Qos level) {
    OrderStamp stamp{node_, phase_, next_sequence_, clock_.now_ns()};
    return loans_.publish_now(most, [&](dpdk::Loan& loan) {
      std::memcpy(loan.payload(), &stamp, sizeof stamp);
      const auto group = static_cast<uint32_t>(stamp.sequence++ % run_.groups);
      (void)loan.describe(run_.payload_bytes, kOrderGroup + group, level);
    });
  }
  [[nodiscard]] uint32_t publish_shared(uint32_t most, wire::Qos level, uint64_t now_ns) {
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

  OrderRun& run_;
  const uint32_t node_;
  rack::Endpoint& endpoint_;
  const dpdk::TscClock& clock_;
  const uint32_t burst_;
  std::optional<LockContender> contender_;
  Loans loans_;
  rate_control::Pacer pacer_{{0, 1}};
  uint64_t pacer_rate_ = 0;
  uint32_t phase_ = 0;
  uint64_t next_sequence_ = 0;
  std::vector<uint64_t> next_of_;    // by sender and group
  std::vector<uint64_t> digest_of_;  // by domain: one is not ordered against another
  std::vector<uint8_t> message_;     // to be copied
  uint64_t last_ordered_ns_ = 0;
  uint64_t silence_ns_ = 0;
  base::Histogram latency_ns_;
  std::vector<Sampled> sampled_;
  base::Counter published_;
  base::Counter delivered_;
  base::Counter wrong_;
  base::Counter out_of_order_;
  base::Counter lost_;
  base::Counter views_;
  std::atomic<uint64_t> epoch_{0};  // written last
  std::atomic<uint64_t> epoch_began_ns_{0};
  std::atomic<uint64_t> view_began_ns_{0};
};

}  // namespace lambdacast::bench
