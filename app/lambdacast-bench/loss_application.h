// SPDX-License-Identifier: BSD-3-Clause
// What runs on each node of the loss benchmark: publishes numbered messages at the chosen pace, and
// checks every message delivered against its sequence.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/counter.h"
#include "loss_report.h"
#include "message_audit.h"
#include "node/stage.h"
#include "rack/endpoint.h"
#include "rate_control/pacer.h"
#include "window.h"

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
    uint64_t quota = 0;                      // packets it publishes, 0 for a mere receiver
    rate_control::PacerConfig publish_rate;  // unless the window paces
    rate_control::PacerConfig take_rate;     // of an overloaded receiver; else unlimited
  };
  LossApplication(LossRun& run, const Role& role, rack::Endpoint& endpoint);
  ~LossApplication() override;

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override;

  // From any thread.
  [[nodiscard]] uint64_t published() const { return published_.get(); }
  [[nodiscard]] uint64_t delivered() const { return delivered_.get(); }
  [[nodiscard]] MessageCounts messages() const {
    return {delivered_.get(), twice_.get(), out_of_order_.get(), declared_lost_.get()};
  }
  [[nodiscard]] uint64_t wrong_content() const { return wrong_content_.get(); }
  [[nodiscard]] uint64_t window_timeouts() const { return window_ ? window_->timeouts() : 0; }
  [[nodiscard]] uint64_t last_delivery_ns() const { return last_delivery_ns_.get(); }
  [[nodiscard]] bool done() const { return published() == quota_; }

 private:
  struct RecoverableSink;
  uint32_t take(uint64_t now_ns);
  uint32_t take_recoverable(uint64_t now_ns);
  [[nodiscard]] bool audit(const node::PacketInfo& info, std::span<const uint8_t> payload);
  uint32_t publish(uint64_t now_ns);
  [[nodiscard]] uint64_t allowed(uint64_t now_ns);
  void refill();

  LossRun& run_;
  const uint32_t node_;
  const uint64_t quota_;
  rack::Endpoint& endpoint_;
  rate_control::Pacer publish_pacer_;
  rate_control::Pacer take_pacer_;
  const uint32_t burst_;
  std::optional<Window> window_;  // of the window pace
  uint64_t next_message_ = 0;
  std::array<dpdk::Loan, node::kMaxBurst> loans_{};
  uint32_t loans_count_ = 0;
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
