// SPDX-License-Identifier: BSD-3-Clause
// What runs on each node of the order benchmark: publishes numbered, timed messages, takes what is
// delivered, its own included, and keeps a digest of the order.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "../harness/sending.h"
#include "base/counter.h"
#include "base/histogram.h"
#include "dpdk/clock.h"
#include "node/stage.h"

namespace lambdacast::bench {

// Shared by the nodes; control writes.
struct OrderRun {
  std::atomic<uint32_t> senders{0};  // a bit for each node that publishes
  std::atomic<uint64_t> rate{0};     // messages a second of each; 0: unlimited
  std::atomic<bool> measuring{false};
  std::atomic<wire::Qos> level{wire::Qos::kUnreliable};
  std::atomic<uint32_t> phase{0};  // messages of another phase are not counted
  uint32_t payload_bytes = 64;
  uint32_t groups = 1;
  bool coalesce = false;
  uint32_t nodes = 0;
  uint32_t sequencer = 0;  // of the benchmark's group
};

// What a message begins with.
struct OrderStamp {
  uint32_t sender = 0;
  uint32_t phase = 0;
  uint64_t sequence = 0;
  uint64_t sent_ns = 0;
};

class OrderApplication final : public node::Stage {
 public:
  OrderApplication(rack::Endpoint& endpoint, OrderRun& run, uint32_t node,
                   const dpdk::TscClock& clock);
  ~OrderApplication() override;

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override;

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

  // While no lcore runs, or on the node's.
  // Of (epoch, index, sender, sequence) of all that is totally ordered, in the order of its domain.
  [[nodiscard]] uint64_t digest() const;
  // With one group: one more than the last delivered of that sender: all of them, if none is out of
  // order.
  [[nodiscard]] uint64_t delivered_of(uint32_t sender) const { return next_of_[sender]; }
  // At a member that is neither sender nor sequencer.
  [[nodiscard]] const base::Histogram& latency_ns() const { return latency_ns_; }

 private:
  struct Sink;
  void take(const node::PacketInfo& info, std::span<const uint8_t> message);
  uint32_t publish(uint64_t now_ns);
  [[nodiscard]] uint32_t publish_packets(uint32_t most, wire::Qos level);
  [[nodiscard]] uint32_t publish_shared(uint32_t most, wire::Qos level, uint64_t now_ns);

  OrderRun& run_;
  const uint32_t node_;
  rack::Endpoint& endpoint_;
  const dpdk::TscClock& clock_;
  const uint32_t burst_;
  Loans loans_;
  rate_control::Pacer pacer_{{0, 1}};
  uint64_t pacer_rate_ = 0;
  uint32_t phase_ = 0;
  uint64_t next_sequence_ = 0;
  std::vector<uint64_t> next_of_;    // by sender and group
  std::vector<uint64_t> digest_of_;  // by domain: one is not ordered against another
  std::vector<uint8_t> message_;     // to be copied
  base::Histogram latency_ns_;
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
