// SPDX-License-Identifier: BSD-3-Clause
// One UD queue pair: its states, and the mbufs that its two work queues hold. The device may take
// it out of service (a datagram longer than the receive posted for it does that to Linux's
// Soft-RoCE); it is then drained and set up anew, under the same number and in the same group.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <memory>

#include "base/result.h"
#include "verbs_device.h"
#include "verbs_membership.h"
#include "verbs_ring.h"

namespace lambdacast::net_verbs {

struct QueuePairConfig {
  uint32_t send_depth = 0;
  uint32_t receive_depth = 0;
  uint32_t qkey = 0;
  std::optional<wire::Gid> group;
};

class QueuePair {
 public:
  // Up to so much is sent from within the request, where the device does that: the messages that
  // are worth it, and the mbuf is free at once.
  static constexpr uint32_t kInlineBytes = 192;

  // Makes a queue pair that is in its group and not in service yet. The completion queues outlive
  // it.
  [[nodiscard]] static base::Result<std::unique_ptr<QueuePair>> create(
      const Device& device, ibv_cq* send, ibv_cq* receive, const QueuePairConfig& config);
  ~QueuePair();  // the mbufs it holds are freed
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  // Brings it from reset to ready to send. The control thread calls it.
  [[nodiscard]] base::Result<void> start();
  // Brings it to the error state: what was posted is given back, flushed.
  void flush();
  // Back to reset: nothing posted is given back any more, and the mbufs are freed.
  [[nodiscard]] base::Result<void> reset();

  [[nodiscard]] uint32_t number() const { return qp_->qp_num; }
  [[nodiscard]] ibv_qp* qp() const { return qp_; }
  [[nodiscard]] uint32_t inline_bytes() const { return inline_bytes_; }

  // Found out of service. By any thread, once for each time.
  [[nodiscard]] bool mark_failed() { return !failed_.exchange(true, std::memory_order_relaxed); }
  void mark_mended() { failed_.store(false, std::memory_order_release); }
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_acquire); }

  Ring receives;  // of the receiving lcore
  Ring sends;     // of the sending lcore

 private:
  QueuePair(const Device& device, const QueuePairConfig& config);
  [[nodiscard]] base::Result<void> modify(ibv_qp_attr& attributes, int mask, const char* to);

  const Device& device_;
  uint32_t qkey_;
  ibv_qp* qp_ = nullptr;
  uint32_t inline_bytes_ = 0;
  std::unique_ptr<Membership> membership_;
  std::atomic<bool> failed_{false};
};

}  // namespace lambdacast::net_verbs
