// SPDX-License-Identifier: BSD-3-Clause
// Carries frames between a fabric of this process, where the verbs device transmits on one
// wavelength and hears the other, and a DPDK port. What is no datagram is the neighbors' affair.
#pragma once

#include <rte_mempool.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "bridge.h"
#include "config/config.h"
#include "dpdk/attachment.h"
#include "dpdk/clock.h"
#include "fabric/fabric.h"
#include "neighbors.h"

namespace lambdacast::verbs {

class PortBridge final : public Bridge {
 public:
  // EAL runs. `fabric`: the name of one that is there. Errors: those of the port and the fabric.
  [[nodiscard]] static base::Result<std::unique_ptr<PortBridge>> open(
      const config::Endpoint& endpoint, const std::string& fabric);
  ~PortBridge() override;

  [[nodiscard]] const BridgeFacts& facts() const override { return facts_; }
  void pump() override;
  void listen(std::span<const wire::Gid> groups) override;

 private:
  struct FreePool {
    void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
  };
  // A frame whose receiver is being asked for.
  struct Waiting {
    wire::Gid to;
    rte_mbuf* frame;
    uint64_t until_ns;
  };

  PortBridge() = default;
  [[nodiscard]] base::Result<void> open_port(const config::Endpoint& endpoint);
  [[nodiscard]] base::Result<void> join_fabric(const std::string& name);
  [[nodiscard]] base::Result<void> set_filter();
  void know_neighbors(const config::Endpoint& endpoint);
  void run_keeper();
  // Is there traffic: has anything come, or has the device anything to send?
  [[nodiscard]] bool pump_held();

  [[nodiscard]] bool carry_in();
  void take(rte_mbuf* m, uint64_t now_ns);
  void carry_out(uint64_t now_ns);
  [[nodiscard]] bool carry_one(uint64_t now_ns);
  void send_to(const wire::Gid& to, rte_mbuf* m, uint64_t now_ns);
  void send_waiting(uint64_t now_ns);
  void say(uint64_t now_ns);
  [[nodiscard]] bool transmit(rte_mbuf* m);
  [[nodiscard]] bool is_own(const wire::Gid& gid) const {
    return gid == facts_.gid || gid == neighbors_->link_local();
  }

  BridgeFacts facts_;
  std::optional<uint16_t> vlan_id_;
  std::unique_ptr<rte_mempool, FreePool> pool_;
  std::optional<dpdk::Attachment> attachment_;
  std::optional<dpdk::ReceiveQueues> queues_;
  std::unique_ptr<fabric::Fabric> fabric_;
  fabric::Transmitter to_device_;
  fabric::Receiver from_device_;
  std::optional<Neighbors> neighbors_;
  dpdk::TscClock clock_;
  std::deque<Waiting> waiting_;
  rte_mbuf* refused_ = nullptr;  // by the port: goes first
  alignas(64) std::array<uint8_t, fabric::kMaxFrameBytes + 64> scratch_;

  std::mutex lock_;  // of everything above
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread keeper_;
};

}  // namespace lambdacast::verbs
