// SPDX-License-Identifier: BSD-3-Clause
// What runs on the two nodes of the throughput benchmark, each polled on the lcore of its
// endpoint's ordering stage.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "../harness/sending.h"
#include "base/counter.h"
#include "node/stage.h"
#include "throughput.h"

namespace lambdacast::bench {

class ThroughputSender final : public node::Stage {
 public:
  // credit: of the window pace, else null.
  ThroughputSender(rack::Endpoint& endpoint, const ThroughputOptions& options,
                   const Credit* credit);

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override;

  // From any thread: sends until that many messages have gone in all. Less than have: nothing more.
  void send_until(uint64_t messages) { quota_.store(messages, std::memory_order_relaxed); }
  [[nodiscard]] uint64_t messages() const { return messages_.get(); }
  [[nodiscard]] uint64_t window_timeouts() const { return throttle_.timeouts(); }

 private:
  static constexpr uint32_t kSendBatch = 256;  // messages a poll

  [[nodiscard]] uint32_t publish(uint64_t most);
  [[nodiscard]] uint32_t send(uint64_t most, uint64_t now_ns);
  void write_next();

  rack::Endpoint& endpoint_;
  const Fill fill_;
  const wire::Qos qos_;
  const bool lends_;              // a message each packet, written in place; else copied by send()
  std::vector<uint8_t> message_;  // the next one
  node::Outgoing outgoing_;       // of message_, by send()
  Throttle throttle_;
  Loans loans_;
  uint64_t next_ = 0;  // sequence of the next message to be written
  std::atomic<uint64_t> quota_{0};
  base::Counter messages_;
};

// What has been delivered by a time.
struct Delivered {
  uint64_t at_ns = 0;
  uint64_t messages = 0;
  uint64_t bytes = 0;
};

class ThroughputReceiver final : public node::Stage {
 public:
  static constexpr uint64_t kIntervalNs = 10'000'000;
  static constexpr size_t kMostIntervals = 100'000;

  ThroughputReceiver(rack::Endpoint& endpoint, const ThroughputOptions& options, Credit* credit);

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override;

  // From any thread.
  [[nodiscard]] uint64_t messages() const { return messages_.get(); }
  // On its lcore, or while none runs.
  void begin_intervals(uint64_t now_ns);
  void end_intervals(uint64_t now_ns);
  [[nodiscard]] Delivered delivered() const { return {last_ns_, messages_.get(), bytes_}; }
  [[nodiscard]] const std::vector<Delivered>& intervals() const { return intervals_; }
  [[nodiscard]] uint64_t wrong_content() const { return wrong_content_; }

 private:
  void check(std::span<const uint8_t> message);
  void give_credit();

  rack::Endpoint& endpoint_;
  const uint32_t payload_bytes_;
  const bool checks_;
  const uint32_t burst_;
  Credit* const credit_;
  uint64_t credited_ = 0;  // frames
  uint64_t next_ = 0;      // the sequence expected next: what comes may only be later
  uint64_t bytes_ = 0;
  uint64_t last_ns_ = 0;  // of a delivery
  uint64_t wrong_content_ = 0;
  uint64_t next_interval_ns_ = ~uint64_t{0};
  std::vector<Delivered> intervals_;  // what had been delivered when each began, and at the end
  base::Counter messages_;
};

}  // namespace lambdacast::bench
