// SPDX-License-Identifier: BSD-3-Clause
// What runs on each node of the loss benchmark: publishes numbered messages at the chosen pace, and
// checks every message delivered against its sequence.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "../harness/message_audit.h"
#include "../harness/sending.h"
#include "base/counter.h"
#include "loss.h"
#include "node/stage.h"

namespace lambdacast::bench {

// Shared by the nodes of a run; control writes.
struct LossRun {
  std::atomic<bool> go{false};        // senders may begin
  std::atomic<bool> finished{false};  // senders shall publish no more (time is up, or a signal)
  Credit* credit = nullptr;           // null: another pace
  uint32_t nodes = 0;
  uint64_t first_frame_seq = 0;
  uint32_t application_bytes = 0;
  wire::Qos qos = wire::Qos::kUnreliable;
};

class LossApplication final : public node::Stage {
 public:
  struct Role {
    uint32_t node = 0;
    uint64_t quota = 0;         // packets it publishes, 0 for a mere receiver
    uint64_t publish_rate = 0;  // unless the window paces; 0: unlimited
    uint64_t take_rate = 0;     // of an overloaded receiver; 0: unlimited
  };
  LossApplication(rack::Endpoint& endpoint, LossRun& run, const Role& role);

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override;

  // From any thread.
  [[nodiscard]] uint64_t published() const { return published_.get(); }
  [[nodiscard]] uint64_t delivered() const { return delivered_.get(); }
  [[nodiscard]] MessageCounts messages() const {
    return {delivered_.get(), twice_.get(), out_of_order_.get(), declared_lost_.get()};
  }
  [[nodiscard]] uint64_t wrong_content() const { return wrong_content_.get(); }
  [[nodiscard]] uint64_t window_timeouts() const { return throttle_.timeouts(); }
  [[nodiscard]] uint64_t last_delivery_ns() const { return last_delivery_ns_.get(); }
  [[nodiscard]] bool done() const { return published() == quota_; }

 private:
  struct RecoverableSink;
  uint32_t take(uint64_t now_ns);
  uint32_t take_recoverable(uint64_t now_ns);
  [[nodiscard]] bool audit(const node::PacketInfo& info, std::span<const uint8_t> payload);
  uint32_t publish(uint64_t now_ns);

  LossRun& run_;
  const uint32_t node_;
  const uint64_t quota_;
  rack::Endpoint& endpoint_;
  const uint32_t burst_;
  Throttle throttle_;
  rate_control::Pacer take_pacer_;
  Loans loans_;
  uint64_t next_message_ = 0;
  std::vector<uint64_t> taken_;       // by sender: frames up to here have been seen
  std::vector<MessageAudit> audits_;  // by sender: recoverable messages
  base::Counter published_;
  base::Counter delivered_;
  base::Counter wrong_content_;
  base::Counter twice_;
  base::Counter out_of_order_;
  base::Counter declared_lost_;
  base::Counter last_delivery_ns_;  // kept by adding differences: it only rises
};

}  // namespace lambdacast::bench
