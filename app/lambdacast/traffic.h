// The built-in application of an endpoint ([traffic] in the configuration): takes what is
// delivered, and publishes messages of one size at one rate.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "config/config.h"
#include "dataplane/endpoint.h"
#include "dataplane/stage.h"
#include "rate_control/pacer.h"

namespace lambdacast::app {

class Traffic final : public dataplane::Stage {
 public:
  Traffic(const config::Traffic& config, dataplane::Endpoint& endpoint);
  ~Traffic() override;

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override;

  // From any thread: publish nothing more; deliveries are still taken.
  void quiesce() { publishing_.store(false, std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kSendBatch = 256;  // messages a poll that share packets

  uint32_t publish(uint64_t now_ns);
  uint32_t send(uint64_t now_ns);
  void refill();

  const config::Traffic config_;
  dataplane::Endpoint& endpoint_;
  rate_control::Pacer pacer_;
  uint32_t burst_;
  uint64_t next_message_ = 0;  // written into each message, as far as it has room
  std::array<dataplane::Loan, dataplane::kMaxBurst> loans_{};  // lent, not yet published
  uint32_t loans_count_ = 0;
  std::vector<uint8_t> message_;  // in place of loans: for messages that share or fill packets
  dataplane::Outgoing outgoing_;  // of message_
  std::atomic<bool> publishing_;
};

}  // namespace lambdacast::app
