// SPDX-License-Identifier: BSD-3-Clause
// Where an endpoint receives: one queue of one port as a rule, or the queues of several ports, or
// several queues of one, polled in turn so that a full one does not keep the others waiting.
#pragma once

#include <rte_ethdev.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace lambdacast::dpdk {

struct RxQueue {
  uint16_t port = 0;
  uint16_t queue = 0;
};

class ReceiveQueues {
 public:
  // `queues` has at least one.
  explicit ReceiveQueues(std::vector<RxQueue> queues) : queues_(std::move(queues)) {}

  // Up to `wanted` frames. Each queue is asked at most once; the next call begins behind the last
  // one asked.
  [[nodiscard]] uint16_t burst(rte_mbuf** frames, uint16_t wanted) {
    uint16_t got = 0;
    for (size_t asked = 0; asked < queues_.size() && got < wanted; ++asked) {
      const RxQueue& at = queues_[next_];
      got = static_cast<uint16_t>(got + rte_eth_rx_burst(at.port, at.queue, frames + got,
                                                         static_cast<uint16_t>(wanted - got)));
      if (++next_ == queues_.size()) next_ = 0;
    }
    return got;
  }
  [[nodiscard]] const std::vector<RxQueue>& queues() const { return queues_; }
  // Frames that wait in them. A driver that cannot tell counts as having none. Call it on the lcore
  // that polls them.
  [[nodiscard]] uint64_t waiting() const {
    uint64_t sum = 0;
    for (const RxQueue& each : queues_) {
      // Negative: of a driver that cannot tell, or a queue that is not set up.
      sum += static_cast<uint64_t>(std::max(rte_eth_rx_queue_count(each.port, each.queue), 0));
    }
    return sum;
  }

 private:
  std::vector<RxQueue> queues_;
  size_t next_ = 0;
};

}  // namespace lambdacast::dpdk
